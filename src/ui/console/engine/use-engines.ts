import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";
import { useWatched } from "../live/live-provider";

/** The current book and position of every symbol. */
export function useEngines() {
  return useQuery({
    queryKey: ["engine.list"],
    queryFn: ({ signal }) => consoleApi.engine.list.query(undefined, { signal }),
    staleTime: 0,
    refetchInterval: useWatched({ of: "engine.list" }),
  });
}
