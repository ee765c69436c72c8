"use client";

import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { consoleApi } from "../console-api";
import type { Change, Live, Topic } from "../contract";
import { useCan } from "../session/session";
import { type Following, followLive, type LiveState } from "./follow-live";
import { openLiveStream } from "./open-live-stream";
import { pageVisibility } from "./page-visibility";
import { staleKeys } from "./stale-keys";

const LiveContext = createContext<LiveState>({ live: null, at: null, source: "connecting" });

type Watching = { watch(topic: Topic): () => void; isStreaming: boolean };
const WatchContext = createContext<Watching>({ watch: () => () => {}, isStreaming: false });

/** Health and outbox as they are this second, for the banner and every page below it. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<LiveState>({ live: null, at: null, source: "connecting" });
  const client = useQueryClient();
  const mayWatch = useCan("gate.view").allowed;
  const mayPollOutbox = useCan("outbox.view").allowed;
  const following = useRef<Following>(undefined);
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
    const onNews = (changes: readonly Change[] | null) => {
      if (!changes) return void client.invalidateQueries();
      for (const key of staleKeys(changes)) void client.invalidateQueries({ queryKey: [key] });
    };
    const live = followLive({
      open(lastEventId, handlers) {
        opened.current = topic.current;
        return openLiveStream({ lastEventId, watch: topic.current }, handlers);
      },
      onState: setState,
      onAnswer(answer) {
        // An answer to what is no longer watched comes in a stream that is closed by then.
        if (!opened.current) return;
        const queryKey = keyOf(opened.current);
        if (answer) client.setQueryData(queryKey, answer.data);
        // It could not be read with the stream: asked by itself it says why.
        else void client.invalidateQueries({ queryKey });
      },
      poll,
      onNews,
      visibility: pageVisibility,
    });
    following.current = live;
    return () => {
      following.current = undefined;
      live.stop();
    };
  }, [mayWatch, mayPollOutbox, client]);

  const isLost = state.source === "lost";
  useEffect(() => {
    // Pages that ask only once have given up meanwhile.
    if (!isLost)
      void client.refetchQueries({ type: "active", predicate: query => query.state.status === "error" });
  }, [isLost, client]);

  const watch = useCallback((wanted: Topic) => {
    // Later, since one page goes as the next one comes.
    const settle = () =>
      setTimeout(() => {
        if (topic.current !== opened.current) following.current?.reopen();
      });
    topic.current = wanted;
    settle();
    return () => {
      if (topic.current === wanted) topic.current = undefined;
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

/** The query key of what a page watches. */
const keyOf = (topic: Topic): QueryKey => ("input" in topic ? [topic.of, topic.input] : [topic.of]);

export const useLive = (): LiveState => use(LiveContext);

/**
 * Has a page's query, whose key is the topic's name and its input, answered by the page's one
 * subscription. Resolves to how often the query has to ask by itself meanwhile, for its
 * `refetchInterval`: not at all, unless the stream is cut.
 */
export function useWatched(topic: Topic, everyMs = 1_000): number | false {
  const { watch, isStreaming } = use(WatchContext);
  // Made anew with each rendering, but seldom another.
  const text = JSON.stringify(topic);
  useEffect(() => watch(JSON.parse(text) as Topic), [watch, text]);
  return isStreaming ? false : everyMs;
}
