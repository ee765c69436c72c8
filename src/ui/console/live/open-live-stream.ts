import type { LiveHandlers, Topic } from "../contract";

/**
 * The subscription `gate.live` in tRPC's event format, by the browser's EventSource, which reconnects
 * automatically with the last event's id. tRPC's own link is not used: the signup page, whose script has
 * a size budget, shares the client module and would load it too.
 */
export function openLiveStream(
  { lastEventId, watch }: { lastEventId?: string; watch?: Topic },
  handlers: LiveHandlers,
): { unsubscribe(): void } {
  const input =
    lastEventId || watch ? `?input=${encodeURIComponent(JSON.stringify({ lastEventId, watch }))}` : "";
  const source = new EventSource(`/api/trpc/gate.live${input}`);
  source.onmessage = event => handlers.onData({ id: event.lastEventId, data: JSON.parse(event.data) });
  // The server refused the subscription: an immediate retry would be refused too.
  source.addEventListener("serialized-error", event => {
    source.close();
    handlers.onError((event as MessageEvent).data);
  });
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) handlers.onError("closed");
  };
  return { unsubscribe: () => source.close() };
}
