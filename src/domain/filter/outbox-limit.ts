/** Age of the oldest pending event from which on the relay counts as behind. Normal is below a second. */
export const OUTBOX_BEHIND_SECONDS = 15;

/** Events are counted up to here; a larger number of pending events is an estimate. */
export const OUTBOX_COUNTED = 10_000;

/** Events of the last minute are counted up to here. */
export const DELIVERED_COUNTED = 100_000;

/** "412", or "about 41,200" for an estimate. */
export const pendingText = (pending: number): string =>
  `${pending < OUTBOX_COUNTED ? "" : "about "}${pending.toLocaleString("en")}`;
