import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";
import { useWatched } from "../live/live-provider";

/** Symbols and shards as they are this second: the page's one question. */
export function useSymbols() {
  return useQuery({
    queryKey: ["symbol.list"],
    queryFn: ({ signal }) => consoleApi.symbol.list.query(undefined, { signal }),
    staleTime: 0,
    refetchInterval: useWatched("symbol.list"),
  });
}
