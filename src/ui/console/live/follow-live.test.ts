import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Change, Live, LiveHandlers } from "../contract";
import { followLive, type LiveState } from "./follow-live";

const live = (version: number) => ({ health: { filter: { version } } }) as unknown as Live;

describe("following what is live", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function start(poll: (previous: Live | null, signal: AbortSignal) => Promise<Live>, isHidden = false) {
    const streams: LiveHandlers[] = [];
    const states: LiveState[] = [];
    const news: (readonly Change[] | null)[] = [];
    const answers: unknown[] = [];
    const opened: (string | undefined)[] = [];
    const unsubscribe = vi.fn();
    const page = { isHidden, listener: undefined as (() => void) | undefined };
    const setHidden = (next: boolean) => {
      page.isHidden = next;
      page.listener?.();
    };
    const { stop, reopen } = followLive({
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
      onNews: changes => news.push(changes),
      onAnswer: answer => answers.push(answer),
    });
    return { streams, states, news, answers, opened, stop, reopen, unsubscribe, setHidden };
  }

  it("asks by itself when the stream falls silent, and goes back when it speaks again", async () => {
    const { streams, states, stop } = start(async () => live(2));
    streams[0]!.onData({ id: "1", data: live(1) });
    expect(states.at(-1)).toMatchObject({ source: "stream", live: live(1) });
    await vi.advanceTimersByTimeAsync(6_000);
    expect(states.at(-1)).toMatchObject({ source: "polling", live: live(2) });
    streams[0]!.onData({ id: "2", data: live(3) });
    expect(states.at(-1)).toMatchObject({ source: "stream", live: live(3) });
    stop();
  });

  it("keeps the last answer and its age when nobody answers, and subscribes anew", async () => {
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

  it("says that it is lost when a server hangs instead of refusing, and asks one thing at a time", async () => {
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

  it("hands over what the page watches, and goes on behind the last event when that changes", () => {
    const { streams, states, answers, opened, reopen, unsubscribe, stop } = start(async () => live(1));
    streams[0]!.onData({ id: "5", data: live(1) });
    const answer = { of: "lab.status" as const, data: { runs: [] } };
    streams[0]!.onData({ id: "6", data: { ...live(1), answer } });
    streams[0]!.onData({ id: "6", data: { ...live(1), answer: null } });
    expect(answers).toEqual([answer, null]);
    // Whoever shows health is not bothered with the page's answer.
    expect(states.at(-1)?.live).toEqual(live(1));
    reopen();
    expect(opened).toEqual([undefined, "6"]);
    expect(unsubscribe).toHaveBeenCalledTimes(1);
    stop();
  });

  it("gives its connection back when nobody has seen the page for a while, and says how old it is", async () => {
    const poll = vi.fn(async () => live(9));
    const { streams, states, opened, setHidden, reopen, unsubscribe, stop } = start(poll);
    setHidden(true);
    await vi.advanceTimersByTimeAsync(3_000);
    streams[0]!.onData({ id: "5", data: live(1) });
    const { at } = states.at(-1)!;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(unsubscribe).toHaveBeenCalledTimes(1);
    expect(states.at(-1)).toEqual({ source: "asleep", live: live(1), at });
    reopen();
    expect(streams.length).toBe(1);
    expect(poll).not.toHaveBeenCalled();

    setHidden(false);
    expect(opened).toEqual([undefined, "5"]);
    expect(states.at(-1)).toEqual({ source: "asleep", live: live(1), at });
    streams[1]!.onData({ id: "8", data: live(2) });
    expect(states.at(-1)).toMatchObject({ source: "stream", live: live(2) });
    stop();
  });

  it("stays as it is while the page is hidden for a moment only", async () => {
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

  it("asks for nothing in a tab that was opened out of sight, and says that it is lost once it is seen", async () => {
    const { streams, states, setHidden, stop } = start(() => Promise.reject(new Error("gone")), true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(streams.length).toBe(0);
    setHidden(false);
    expect(streams.length).toBe(1);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(states.at(-1)).toMatchObject({ source: "lost", live: null });
    stop();
  });

  it("passes on what others changed, and says when too much was missed", () => {
    const { streams, news, stop } = start(async () => live(1));
    const change = { id: "7", action: "user.setRole" };
    streams[0]!.onData({ id: "6", data: { ...live(1), events: [], resync: false } });
    streams[0]!.onData({ id: "7", data: { ...live(1), events: [change], resync: false } });
    streams[0]!.onData({ id: "900", data: { ...live(1), events: [], resync: true } });
    expect(news).toEqual([[change], null]);
    stop();
  });
});
