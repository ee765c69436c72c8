import type { Change } from "../contract";

/** The query keys that a change makes stale, by the entity of its action. */
const KEYS: Record<string, readonly string[]> = {
  user: ["user.list", "session.me"],
  reserved: ["reserved.list"],
  switch: ["switch.list", "session.me"],
  token: ["token.list"],
  outbox: ["outbox.deadLetters"],
  filter: ["filter.status"],
  symbol: ["symbol.page"],
  lab: ["lab.status"],
  orders: ["orders.deadLetters"],
};

/** First parts of the query keys to read again. */
export function staleKeys(changes: readonly Change[]): string[] {
  const keys = changes.flatMap(({ action }) => KEYS[action.split(".", 1)[0] ?? ""] ?? []);
  return [...new Set(["audit.list", "telemetry.annotations", ...keys])];
}
