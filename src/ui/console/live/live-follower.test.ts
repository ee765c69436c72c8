import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Change, Live, LiveHandlers } from "../contract";
import { LiveFollower, type LiveState } from "./live-follower";

const live = (version: number) => ({ health: { filter: { version } } }) as unknown as Live;

describe("LiveFollower", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function start(poll: (previous: Live | null, signal: AbortSignal) => Promise<Live>, isHidden = false) {
    const streams: LiveHandlers[] = [];
    const states: LiveState[] = [];
    const changes: (readonly Change[] | null)[] = [];
    const topicData: unknown[] = [];
    const opened: (string | undefined)[] = [];
    const unsubscribe = vi.fn();
    const page = { isHidden, listener: undefined as (() => void) | undefined };
    const setHidden = (next: boolean) => {
      page.isHidden = next;
      page.listener?.();
    };
    const follower = new LiveFollower({
      visibility: {
        isHidden: () => page.isHidden,
        onChange(listener) {
          page.listener = listener;
          return () => {
            page.listener = undefined;
          };
        },
      },
      open: (lastEventId, handlers) => {
        opened.push(lastEventId);
        streams.push(handlers);
        return { unsubscribe };
      },
      poll,
      onState: state => states.push(state),
      onChanges: next => changes.push(next),
      onTopicData: data => topicData.push(data),
    });
    follower.start();
    const stop = () => follower.stop();
    const reopen = () => follower.reopen();
    return { streams, states, changes, topicData, opened, stop, reopen, unsubscribe, setHidden };
  }

  it("polls while the stream has no events, and returns to the stream with its next event", async () => {
    const { streams, states, stop } = start(async () => live(2));
    streams[0]!.onData({ id: "1", data: live(1) });
    expect(states.at(-1)).toMatchObject({ source: "stream", live: live(1) });
    await vi.advanceTimersByTimeAsync(6_000);
    expect(states.at(-1)).toMatchObject({ source: "polling", live: live(2) });
    streams[0]!.onData({ id: "2", data: live(3) });
    expect(states.at(-1)).toMatchObject({ source: "stream", live: live(3) });
    stop();
  });

  it("keeps the last data and its age when no server answers, and subscribes again", async () => {
    const { streams, states, stop, unsubscribe } = start(() => Promise.reject(new Error("gone")));
    streams[0]!.onData({ id: "1", data: live(1) });
    const { at } = states.at(-1)!;
    streams[0]!.onError(new Error("cut"));
    await vi.advanceTimersByTimeAsync(16_000);
    expect(states.at(-1)).toEqual({ source: "lost", live: live(1), at });
    expect(streams.length).toBe(2);
    stop();
    expect(unsubscribe).toHaveBeenCalledTimes(2);
  });

  it("is lost when a server hangs instead of refusing, and runs one poll at a time", async () => {
    const signals: AbortSignal[] = [];
    let open = 0;
    let most = 0;
    const { streams, states, stop } = start((_, signal) => {
      signals.push(signal);
      most = Math.max(most, ++open);
      signal.addEventListener("abort", () => open--);
      return new Promise(() => {});
    });
    streams[0]!.onData({ id: "1", data: live(1) });
    const { at } = states.at(-1)!;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(states.at(-1)).toEqual({ source: "lost", live: live(1), at });
    await vi.advanceTimersByTimeAsync(50_000);
    expect(signals.length).toBeGreaterThan(5);
    expect(most).toBe(1);
    streams.at(-1)!.onData({ id: "2", data: live(2) });
    expect(states.at(-1)).toMatchObject({ source: "stream", live: live(2) });
    stop();
  });

  it("passes on the data of the topic, and subscribes after the last event when the topic changes", () => {
    const { streams, states, topicData, opened, reopen, unsubscribe, stop } = start(async () => live(1));
    streams[0]!.onData({ id: "5", data: live(1) });
    const answer = { of: "lab.status" as const, data: { runs: [] } };
    streams[0]!.onData({ id: "6", data: { ...live(1), answer } });
    streams[0]!.onData({ id: "6", data: { ...live(1), answer: null } });
    expect(topicData).toEqual([answer, null]);
    // The state has no topic data, so that health does not render again for it.
    expect(states.at(-1)?.live).toEqual(live(1));
    reopen();
    expect(opened).toEqual([undefined, "6"]);
    expect(unsubscribe).toHaveBeenCalledTimes(1);
    stop();
  });

  it("closes its connection after the page was hidden for five seconds, and keeps the age of the data", async () => {
    const poll = vi.fn(async () => live(9));
    const { streams, states, opened, setHidden, reopen, unsubscribe, stop } = start(poll);
    setHidden(true);
    await vi.advanceTimersByTimeAsync(3_000);
    streams[0]!.onData({ id: "5", data: live(1) });
    const { at } = states.at(-1)!;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(unsubscribe).toHaveBeenCalledTimes(1);
    expect(states.at(-1)).toEqual({ source: "paused", live: live(1), at });
    reopen();
    expect(streams.length).toBe(1);
    expect(poll).not.toHaveBeenCalled();

    setHidden(false);
    expect(opened).toEqual([undefined, "5"]);
    expect(states.at(-1)).toEqual({ source: "paused", live: live(1), at });
    streams[1]!.onData({ id: "8", data: live(2) });
    expect(states.at(-1)).toMatchObject({ source: "stream", live: live(2) });
    stop();
  });

  it("keeps its connection when the page is hidden for a shorter time", async () => {
    const { streams, opened, setHidden, unsubscribe, stop } = start(async () => live(9));
    setHidden(true);
    await vi.advanceTimersByTimeAsync(3_000);
    streams[0]!.onData({ id: "5", data: live(1) });
    setHidden(false);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(unsubscribe).not.toHaveBeenCalled();
    expect(opened.length).toBe(1);
    stop();
  });

  it("sends no request in a tab that was opened in the background, and is lost once the tab is visible", async () => {
    const { streams, states, setHidden, stop } = start(() => Promise.reject(new Error("gone")), true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(streams.length).toBe(0);
    setHidden(false);
    expect(streams.length).toBe(1);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(states.at(-1)).toMatchObject({ source: "lost", live: null });
    stop();
  });

  it("passes on the changes of other users, and null when events were missed", () => {
    const { streams, changes, stop } = start(async () => live(1));
    const change = { id: "7", action: "user.setRole" };
    streams[0]!.onData({ id: "6", data: { ...live(1), events: [], resync: false } });
    streams[0]!.onData({ id: "7", data: { ...live(1), events: [change], resync: false } });
    streams[0]!.onData({ id: "900", data: { ...live(1), events: [], resync: true } });
    expect(changes).toEqual([[change], null]);
    stop();
  });
});
