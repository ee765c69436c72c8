/** From this age of the oldest waiting row on, the relay counts as behind; the banner's alert uses the same. */
export const OUTBOX_BEHIND_SECONDS = 15;
