import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";
import type { SymbolPageInput } from "../contract";
import { useWatched } from "../live/live-provider";
import { useSettled } from "../parts/use-settled";

/** What the table shows of all symbols as they are this second: the page's one question. */
export function useSymbols(request: SymbolPageInput) {
  const input = { ...request, search: useSettled(request.search) };
  return useQuery({
    queryKey: ["symbol.page", input],
    queryFn: ({ signal }) => consoleApi.symbol.page.query(input, { signal }),
    placeholderData: previous => previous,
    staleTime: 0,
    refetchInterval: useWatched({ of: "symbol.page", input }),
  });
}
