import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";

const EVERY_MS = 1_000;

/** Symbols and shards as they are this second: the page's one question. */
export function useSymbols() {
  return useQuery({
    queryKey: ["symbol.list"],
    queryFn: ({ signal }) => consoleApi.symbol.list.query(undefined, { signal }),
    staleTime: 0,
    refetchInterval: EVERY_MS,
  });
}
