import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { consoleApi } from "../console-api";
import { useOrderStatus } from "../parts/use-order-status";

export const LIMIT = 200;
const queryKey = ["orders.deadLetters"];
const MIN_INTERVAL_MS = 2_000;
/** A trim removes a hundred entries at once, so the number can stay the same although the entries change. */
const MAX_INTERVAL_MS = 30_000;

/** The newest dead letters, read again when the order status has another number of them. */
export function useDeadLetters() {
  const client = useQueryClient();
  const count = useOrderStatus().data?.deadLetters;
  const deadLetters = useQuery({
    queryKey,
    queryFn: ({ signal }) => consoleApi.orders.deadLetters.query({ limit: LIMIT }, { signal }),
    refetchInterval: MAX_INTERVAL_MS,
  });

  useEffect(() => {
    if (count === undefined) return;
    const readMsAgo = Date.now() - (client.getQueryState(queryKey)?.dataUpdatedAt ?? 0);
    const timer = setTimeout(
      () => void client.invalidateQueries({ queryKey }),
      Math.max(0, MIN_INTERVAL_MS - readMsAgo),
    );
    return () => clearTimeout(timer);
  }, [count, client]);
  return deadLetters;
}
