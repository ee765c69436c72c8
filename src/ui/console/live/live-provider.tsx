"use client";

import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { consoleApi } from "../console-api";
import type { Change, Live, Topic } from "../contract";
import { useCan } from "../session/session";
import { LiveFollower, type LiveState } from "./live-follower";
import { openLiveStream } from "./open-live-stream";
import { pageVisibility } from "./page-visibility";
import { staleKeys } from "./stale-keys";

const LiveContext = createContext<LiveState>({ live: null, at: null, source: "connecting" });

type Watching = { watch(topic: Topic): () => void; isStreaming: boolean };
const WatchContext = createContext<Watching>({ watch: () => () => {}, isStreaming: false });

/** The current health and outbox, for the banner and each page below it. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<LiveState>({ live: null, at: null, source: "connecting" });
  const client = useQueryClient();
  const mayWatch = useCan("gate.view").allowed;
  const mayPollOutbox = useCan("outbox.view").allowed;
  const follower = useRef<LiveFollower>(undefined);
  const topic = useRef<Topic>(undefined);
  const opened = useRef<Topic>(undefined);

  useEffect(() => {
    if (!mayWatch) return;
    const poll = async (previous: Live | null, signal: AbortSignal): Promise<Live> => {
      const [health, outbox] = await Promise.all([
        consoleApi.gate.health.query(undefined, { signal }),
        mayPollOutbox ? consoleApi.outbox.status.query(undefined, { signal }) : previous?.outbox,
      ]);
      return { health, outbox };
    };
    const onChanges = (changes: readonly Change[] | null) => {
      if (!changes) return void client.invalidateQueries();
      for (const key of staleKeys(changes)) void client.invalidateQueries({ queryKey: [key] });
    };
    const live = new LiveFollower({
      open(lastEventId, handlers) {
        opened.current = topic.current;
        return openLiveStream({ lastEventId, watch: topic.current }, handlers);
      },
      onState: setState,
      onTopicData(answer) {
        // The data of an earlier topic arrives only in a stream that is closed already.
        if (!opened.current) return;
        const queryKey = keyOf(opened.current);
        if (answer) client.setQueryData(queryKey, answer.data);
        // The stream could not read it. The request of the query returns the error.
        else void client.invalidateQueries({ queryKey });
      },
      poll,
      onChanges,
      visibility: pageVisibility,
    });
    live.start();
    follower.current = live;
    return () => {
      follower.current = undefined;
      live.stop();
    };
  }, [mayWatch, mayPollOutbox, client]);

  const isLost = state.source === "lost";
  useEffect(() => {
    // A query without an interval does not retry after the outage on its own.
    if (!isLost)
      void client.refetchQueries({ type: "active", predicate: query => query.state.status === "error" });
  }, [isLost, client]);

  const watch = useCallback((next: Topic) => {
    // In a timer, because a navigation unmounts one page and mounts the next one.
    const settle = () =>
      setTimeout(() => {
        if (topic.current !== opened.current) follower.current?.reopen();
      });
    topic.current = next;
    settle();
    return () => {
      if (topic.current === next) topic.current = undefined;
      settle();
    };
  }, []);
  const isStreaming = state.source === "stream";
  const watching = useMemo(() => ({ watch, isStreaming }), [watch, isStreaming]);

  return (
    <WatchContext value={watching}>
      <LiveContext value={state}>{children}</LiveContext>
    </WatchContext>
  );
}

/** The query key of a topic. */
const keyOf = (topic: Topic): QueryKey => ("input" in topic ? [topic.of, topic.input] : [topic.of]);

export const useLive = (): LiveState => use(LiveContext);

/**
 * Adds the topic to the page's one subscription, which then fills the cache of the query with the
 * topic's key.
 * @returns the `refetchInterval` of the query: false while the stream delivers its data
 */
export function useWatched(topic: Topic, everyMs = 1_000): number | false {
  const { watch, isStreaming } = use(WatchContext);
  // A new object in each rendering, but mostly with the same content.
  const text = JSON.stringify(topic);
  useEffect(() => watch(JSON.parse(text) as Topic), [watch, text]);
  return isStreaming ? false : everyMs;
}
