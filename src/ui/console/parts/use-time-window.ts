import { parseAsIsoDateTime, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { RANGE_NAMES, RANGES, type TimeWindow } from "../charts/time-window";
import { useNow } from "./use-now";

const parsers = {
  range: parseAsStringLiteral(RANGE_NAMES).withDefault("15m"),
  /** The end of the window; without it the window moves with the time. */
  to: parseAsIsoDateTime,
};

/** The time window of the address. It moves in steps of the refresh interval. */
export function useTimeWindow() {
  const [{ range, to }, setState] = useQueryStates(parsers);
  const { spanMs, everyMs } = RANGES[range];
  const end = useEnd(to, everyMs);
  const window: TimeWindow = useMemo(() => ({ from: end - spanMs, to: end }), [end, spanMs]);
  return { range, window, isLive: to === null, setState };
}

function useEnd(fixed: Date | null, everyMs: number): number {
  const now = useNow();
  return fixed ? fixed.getTime() : Math.floor(now / everyMs) * everyMs;
}
