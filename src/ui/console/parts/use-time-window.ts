import { parseAsIsoDateTime, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { RANGE_NAMES, RANGES, type TimeWindow } from "../charts/time-window";
import { useNow } from "./use-now";

const parsers = {
  range: parseAsStringLiteral(RANGE_NAMES).withDefault("15m"),
  /** The window's end; absent means that it moves with the time. */
  to: parseAsIsoDateTime,
};

/** The window that the address asks for. It moves in whole refreshes, and so do the queries. */
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
