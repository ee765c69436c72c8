import { CANDIDATE_STATES, STORED_STATES } from "../../../domain/filter/filter-version";
import type { FilterStatus, VersionStatus } from "../contract";

/** The three slots of a rollout. Each has one version at most. */
export type Slots = Record<"active" | "candidate" | "previous", VersionStatus | undefined>;

export function slotsOf({ versions }: FilterStatus): Slots {
  return {
    active: versions.find(({ state }) => state === "active"),
    candidate: versions.find(({ state }) => CANDIDATE_STATES.includes(state)),
    previous: versions.find(({ state }) => state === "previous"),
  };
}

/** The versions whose shards may be in Redis, newest first. */
export const storedVersions = ({ versions }: FilterStatus): VersionStatus[] =>
  versions.filter(({ state }) => STORED_STATES.includes(state));

/** The version of the map and the gates: the requested one, else a ready candidate, else the active version. */
export function shownVersion(status: FilterStatus, requested: number | null): VersionStatus | undefined {
  const { active, candidate, previous } = slotsOf(status);
  const stored = storedVersions(status);
  const ready = candidate?.state === "ready" ? candidate : undefined;
  return stored.find(({ version }) => version === requested) ?? ready ?? active ?? previous ?? stored[0];
}
