import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";
import { useWatched } from "../live/live-provider";

/** The run in hand and the last ones, as they are this second. */
export function useLabStatus() {
  return useQuery({
    queryKey: ["lab.status"],
    queryFn: ({ signal }) => consoleApi.lab.status.query(undefined, { signal }),
    staleTime: 0,
    refetchInterval: useWatched({ of: "lab.status" }),
  });
}
