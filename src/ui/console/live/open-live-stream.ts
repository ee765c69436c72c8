import type { LiveHandlers, Topic } from "../contract";

/**
 * The subscription `gate.live`, in tRPC's own event format, by the browser's EventSource: it comes back by
 * itself with the last event's id. tRPC's link for it would also be loaded by the signup page, whose script
 * has a budget: both pages share one module of the client.
 */
export function openLiveStream(
  { lastEventId, watch }: { lastEventId?: string; watch?: Topic },
  handlers: LiveHandlers,
): { unsubscribe(): void } {
  const input =
    lastEventId || watch ? `?input=${encodeURIComponent(JSON.stringify({ lastEventId, watch }))}` : "";
  const source = new EventSource(`/api/trpc/gate.live${input}`);
  source.onmessage = event => handlers.onData({ id: event.lastEventId, data: JSON.parse(event.data) });
  // Refused: asking again at once would change nothing.
  source.addEventListener("serialized-error", event => {
    source.close();
    handlers.onError((event as MessageEvent).data);
  });
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) handlers.onError("closed");
  };
  return { unsubscribe: () => source.close() };
}
