/** Of one intent. Not by crypto.randomUUID, which browsers have over https alone. */
export const newIdempotencyKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** For the HTTP link of a client: the key in the context of a call. */
export const idempotencyHeader = ({ op }: { op: { context: Record<string, unknown> } }) =>
  op.context.idempotencyKey ? { "idempotency-key": op.context.idempotencyKey as string } : {};
