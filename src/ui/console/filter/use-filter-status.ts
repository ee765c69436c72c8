import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";

const EVERY_MS = 1_000;

/** The state of the rollout, read every second. */
export function useFilterStatus() {
  return useQuery({
    queryKey: ["filter.status"],
    queryFn: ({ signal }) => consoleApi.filter.status.query(undefined, { signal }),
    staleTime: 0,
    refetchInterval: EVERY_MS,
  });
}
