import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";
import { useWatched } from "../live/live-provider";

/** The live state of producers, aggregators and engines. */
export function useOrderStatus() {
  return useQuery({
    queryKey: ["orders.status"],
    queryFn: ({ signal }) => consoleApi.orders.status.query(undefined, { signal }),
    staleTime: 0,
    refetchInterval: useWatched({ of: "orders.status" }),
  });
}
