import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";

const EVERY_MS = 1_000;

/** The rollout as it is this second, while somebody looks at the page. */
export function useFilterStatus() {
  return useQuery({
    queryKey: ["filter.status"],
    queryFn: ({ signal }) => consoleApi.filter.status.query(undefined, { signal }),
    staleTime: 0,
    refetchInterval: EVERY_MS,
  });
}
