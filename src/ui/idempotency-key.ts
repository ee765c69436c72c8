/** Of one intent. Not by crypto.randomUUID, which browsers have over https alone. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, "0")).join("");

/** For the HTTP link of a client: the key in the context of a call. */
export const idempotencyHeader = ({ op }: { op: { context: Record<string, unknown> } }) =>
  op.context.idempotencyKey ? { "idempotency-key": String(op.context.idempotencyKey) } : {};
