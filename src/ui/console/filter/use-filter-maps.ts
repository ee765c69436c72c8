import { useQueries } from "@tanstack/react-query";
import { consoleApi } from "../console-api";
import type { MapCell } from "../contract";

const INTERVAL_MS = 4_000;
/** Reading a version takes 512 small commands, so the other versions are read less often. */
const BACKGROUND_INTERVAL_MS = 20_000;

export type FilterMap = { version: number; cells?: MapCell[]; error: unknown };

/** The 256 shards of each version; the `watched` ones are read often. */
export function useFilterMaps(
  versions: readonly number[],
  watched: readonly (number | undefined)[],
): FilterMap[] {
  return useQueries({
    queries: versions.map(version => ({
      queryKey: ["filter.map", version],
      queryFn: ({ signal }: { signal: AbortSignal }) => consoleApi.filter.map.query({ version }, { signal }),
      refetchInterval: watched.includes(version) ? INTERVAL_MS : BACKGROUND_INTERVAL_MS,
    })),
    combine: results =>
      results.map(({ data, error }, i) => ({ version: versions[i] as number, cells: data, error })),
  });
}
