import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";

const EVERY_MS = 1_000;

/** Every symbol's book and position as they are this second. */
export function useEngines() {
  return useQuery({
    queryKey: ["engine.list"],
    queryFn: ({ signal }) => consoleApi.engine.list.query(undefined, { signal }),
    staleTime: 0,
    refetchInterval: EVERY_MS,
  });
}
