import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { consoleApi } from "../console-api";
import { useOrderStatus } from "../parts/use-order-status";

export const LIMIT = 200;
const queryKey = ["orders.deadLetters"];
const AT_MOST_EVERY_MS = 2_000;
/** The stream of them is trimmed a hundred at a time: only then as many may go as have come. */
const AT_LEAST_EVERY_MS = 30_000;

/** The newest events, read again when their number changes, which the page's one subscription tells. */
export function useDeadLetters() {
  const client = useQueryClient();
  const count = useOrderStatus().data?.deadLetters;
  const events = useQuery({
    queryKey,
    queryFn: ({ signal }) => consoleApi.orders.deadLetters.query({ limit: LIMIT }, { signal }),
    refetchInterval: AT_LEAST_EVERY_MS,
  });

  useEffect(() => {
    if (count === undefined) return;
    const readMsAgo = Date.now() - (client.getQueryState(queryKey)?.dataUpdatedAt ?? 0);
    const timer = setTimeout(
      () => void client.invalidateQueries({ queryKey }),
      Math.max(0, AT_MOST_EVERY_MS - readMsAgo),
    );
    return () => clearTimeout(timer);
  }, [count, client]);
  return events;
}
