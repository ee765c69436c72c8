import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";
import type { TimeWindow } from "./time-window";

/** The events of the audit log in the window, for all charts of a page; read again every `everyMs`. */
export function useAnnotations({ from, to }: TimeWindow, everyMs: number) {
  const until = Math.ceil(to / everyMs) * everyMs;
  const spanMs = to - from;
  return useQuery({
    queryKey: ["telemetry.annotations", until, spanMs],
    queryFn: ({ signal }) =>
      consoleApi.telemetry.annotations.query(
        { from: new Date(until - spanMs).toISOString(), to: new Date(until).toISOString() },
        { signal },
      ),
    placeholderData: previous => previous,
  }).data;
}
