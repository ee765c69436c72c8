/**
 * One version of the filter, from the request to the end:
 *
 *   requested ─> building ─> catching-up ─> verifying ─> ready ─promote─> active
 *       │            │            │             │          │               │ ^
 *       └────────────┴────────────┴─────────────┴──────────┘     another is│ │rollback, or
 *                                 │                              promoted  │ │promoted again
 *                                 v                                        v │
 *                            discarding ─> cancelled | failed            previous
 *                                                                            │ retire
 *                                                                            v
 *                                                                        retiring ─> retired
 *
 * requested    waits for a worker
 * building     its shards are made from a snapshot of the database; nobody adds to it
 * catching-up  live: relays add to it; what was committed since the snapshot is replayed into it
 * verifying    sealed; being compared with the database
 * ready        verified; may answer a share of the reads (canary), waits for a decision
 * active       readers follow it; at most one
 * previous     kept fresh for a rollback; at most one
 * retiring     its keys are removed in small steps
 * discarding   a version that nobody ever followed; its keys are removed
 */
export const VERSION_STATES = [
  "requested",
  "building",
  "catching-up",
  "verifying",
  "ready",
  "active",
  "previous",
  "retiring",
  "retired",
  "discarding",
  "cancelled",
  "failed",
] as const;
export type VersionState = (typeof VERSION_STATES)[number];

/** Every step there is. Each is a compare-and-set in the database, with its audit row beside it. */
export const TRANSITIONS: Record<VersionState, readonly VersionState[]> = {
  requested: ["building", "discarding"],
  building: ["catching-up", "discarding"],
  "catching-up": ["verifying", "building", "discarding"],
  verifying: ["ready", "building", "discarding"],
  ready: ["active", "discarding"],
  active: ["previous"],
  previous: ["active", "retiring"],
  retiring: ["retired"],
  discarding: ["cancelled", "failed"],
  retired: [],
  cancelled: [],
  failed: [],
};

export function canBecome(from: VersionState, to: VersionState): boolean {
  return TRANSITIONS[from].includes(to);
}

/** Versions that every outbox event must reach. */
export const LIVE_STATES: readonly VersionState[] = [
  "catching-up",
  "verifying",
  "ready",
  "active",
  "previous",
];

/**
 * Versions that get every event as far as they still can: readers may follow one for the moment that a
 * flip takes to reach them, and its shards are being removed one by one.
 */
export const FADING_STATES: readonly VersionState[] = ["retiring", "discarding"];

/** A version on its way to be followed; there is at most one at a time. */
export const CANDIDATE_STATES: readonly VersionState[] = [
  "requested",
  "building",
  "catching-up",
  "verifying",
  "ready",
];

/** States in which a worker has something to do. */
export const WORK_STATES: readonly VersionState[] = [
  "requested",
  "building",
  "catching-up",
  "verifying",
  "retiring",
  "discarding",
];

/** Its keys may lie in Redis. */
export const STORED_STATES: readonly VersionState[] = [...LIVE_STATES, "building", "retiring", "discarding"];
