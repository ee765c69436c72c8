import { CANDIDATE_STATES, STORED_STATES } from "../../../domain/filter/filter-version";
import type { FilterStatus, VersionStatus } from "../contract";

/** The three places a version can have in a rollout; each holds one at most. */
export type Slots = Record<"active" | "candidate" | "previous", VersionStatus | undefined>;

export function slotsOf({ versions }: FilterStatus): Slots {
  return {
    active: versions.find(({ state }) => state === "active"),
    candidate: versions.find(({ state }) => CANDIDATE_STATES.includes(state)),
    previous: versions.find(({ state }) => state === "previous"),
  };
}

/** Versions whose shards may lie in Redis, newest first. */
export const storedVersions = ({ versions }: FilterStatus): VersionStatus[] =>
  versions.filter(({ state }) => STORED_STATES.includes(state));

/** What the page looks at when the address names nothing: a candidate that waits for a decision comes first. */
export function looksAt(status: FilterStatus, wanted: number | null): VersionStatus | undefined {
  const { active, candidate, previous } = slotsOf(status);
  const stored = storedVersions(status);
  const ready = candidate?.state === "ready" ? candidate : undefined;
  return stored.find(({ version }) => version === wanted) ?? ready ?? active ?? previous ?? stored[0];
}
