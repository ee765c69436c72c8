/** Age of the oldest pending event from which on the relay counts as behind. Normal is below a second. */
export const OUTBOX_BEHIND_SECONDS = 15;
