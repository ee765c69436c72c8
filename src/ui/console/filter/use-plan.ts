import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";
import type { RebuildWish } from "../contract";

/** What a rebuild would take, asked anew when the wish changes; null asks for nothing. */
export function usePlan(wish: RebuildWish | null) {
  return useQuery({
    queryKey: ["filter.plan", wish],
    queryFn: ({ signal }) => consoleApi.filter.plan.query(wish as RebuildWish, { signal }),
    enabled: wish !== null,
    staleTime: 10_000,
  });
}
