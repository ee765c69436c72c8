"use client";

import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useState } from "react";
import { consoleApi } from "../console-api";
import type { Change, Live } from "../contract";
import { useCan } from "../session/session";
import { followLive, type LiveState } from "./follow-live";
import { openLiveStream } from "./open-live-stream";
import { staleKeys } from "./stale-keys";

const LiveContext = createContext<LiveState>({ live: null, at: null, source: "connecting" });

/** Health and outbox as they are this second, for the banner and every page below it. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<LiveState>({ live: null, at: null, source: "connecting" });
  const client = useQueryClient();
  const mayWatch = useCan("gate.view").allowed;
  const mayPollOutbox = useCan("outbox.view").allowed;

  useEffect(() => {
    if (!mayWatch) return;
    const poll = async (previous: Live | null): Promise<Live> => {
      const [health, outbox] = await Promise.all([
        consoleApi.gate.health.query(),
        mayPollOutbox ? consoleApi.outbox.status.query() : previous?.outbox,
      ]);
      return { health, outbox };
    };
    const onNews = (changes: readonly Change[] | null) => {
      if (!changes) return void client.invalidateQueries();
      for (const key of staleKeys(changes)) void client.invalidateQueries({ queryKey: [key] });
    };
    return followLive({ open: openLiveStream, poll, onState: setState, onNews });
  }, [mayWatch, mayPollOutbox, client]);

  return <LiveContext value={state}>{children}</LiveContext>;
}

export const useLive = (): LiveState => use(LiveContext);
