import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";
import type { RebuildRequest } from "../contract";

/** The plan of a rebuild, read again when the request changes; null reads nothing. */
export function usePlan(request: RebuildRequest | null) {
  return useQuery({
    queryKey: ["filter.plan", request],
    queryFn: ({ signal }) => consoleApi.filter.plan.query(request as RebuildRequest, { signal }),
    enabled: request !== null,
    staleTime: 10_000,
  });
}
