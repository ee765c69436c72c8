import { useQueries } from "@tanstack/react-query";
import { consoleApi } from "../console-api";
import type { MapCell } from "../contract";

/** The server looks at a version's shards every two seconds at most. */
const EVERY_MS = 4_000;

export type FilterMap = { version: number; cells?: MapCell[]; error: unknown };

/** The 256 shards of each of these versions. */
export function useFilterMaps(versions: readonly number[]): FilterMap[] {
  return useQueries({
    queries: versions.map(version => ({
      queryKey: ["filter.map", version],
      queryFn: ({ signal }: { signal: AbortSignal }) => consoleApi.filter.map.query({ version }, { signal }),
      refetchInterval: EVERY_MS,
    })),
    combine: results =>
      results.map(({ data, error }, i) => ({ version: versions[i] as number, cells: data, error })),
  });
}
