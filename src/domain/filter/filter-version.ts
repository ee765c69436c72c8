/**
 * States of a filter version:
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
 * building     its shards are built from a snapshot of the database; relays do not add to it
 * catching-up  live: relays add to it; events after the snapshot are replayed into it
 * verifying    sealed; it is compared with the database
 * ready        verified; may answer canary reads; waits for a decision
 * active       readers follow it; at most one version
 * previous     rollback target, which relays keep current; at most one version
 * retiring     its keys are removed in small steps
 * discarding   readers never followed it; its keys are removed
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

/** Every transition. Each is a compare-and-set in the database, with an audit row. */
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
 * Versions that are being removed. Relays add to their remaining shards, because readers follow a
 * retired version until the new pointer reaches them.
 */
export const REMOVAL_STATES: readonly VersionState[] = ["retiring", "discarding"];

/** A version before its promotion; at most one version at a time. */
export const CANDIDATE_STATES: readonly VersionState[] = [
  "requested",
  "building",
  "catching-up",
  "verifying",
  "ready",
];

/** States with a task for the filter worker. */
export const WORK_STATES: readonly VersionState[] = [
  "requested",
  "building",
  "catching-up",
  "verifying",
  "retiring",
  "discarding",
];

/** States of versions that may have keys in Redis. */
export const STORED_STATES: readonly VersionState[] = [...LIVE_STATES, "building", "retiring", "discarding"];
