/** Signups reach the filter within a second. From this age of the oldest waiting event on, the relay counts as behind. */
export const OUTBOX_BEHIND_SECONDS = 15;
