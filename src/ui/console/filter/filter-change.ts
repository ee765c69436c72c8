import { CANDIDATE_STATES, canBecome } from "../../../domain/filter/filter-version";
import type { Action, FilterStatus, VersionStatus } from "../contract";
import { slotsOf } from "./slots";

/** The changes of a rollout, each with a dialog of its own. */
export const FILTER_CHANGES = [
  "promote",
  "setTraffic",
  "arm",
  "disarm",
  "verify",
  "cancel",
  "rollback",
  "retire",
  "schedule",
] as const;
export type FilterChange = (typeof FILTER_CHANGES)[number];

export const CHANGE_ACTIONS: Record<FilterChange, Action> = {
  promote: "filter.promote",
  setTraffic: "filter.setTraffic",
  arm: "filter.arm",
  disarm: "filter.arm",
  verify: "filter.verify",
  cancel: "filter.cancel",
  rollback: "filter.rollback",
  retire: "filter.retire",
  schedule: "filter.schedule",
};

const LOADED_STATES: readonly VersionStatus["state"][] = ["ready", "active", "previous"];

/** Why the state of the rollout does not allow the change; undefined when it does. */
export function disabledReason(
  change: FilterChange,
  status: FilterStatus,
  version?: VersionStatus,
): string | undefined {
  if (change === "schedule") return undefined;
  if (change === "rollback") return rollbackReason(status);
  if (!version) return "This version does not exist any more.";
  const { state } = version;
  const name = `v${version.version}`;
  switch (change) {
    case "promote":
      if (state === "active") return `${name} is active already.`;
      if (state === "previous" && version.failure !== null) return failedReason(version);
      return canBecome(state, "active") ? undefined : `${name} is ${state}: it is not verified yet.`;
    case "setTraffic":
    case "arm":
      return state === "ready" ? undefined : `${name} is ${state}: this needs a version that is ready.`;
    case "disarm":
      return version.armedUntil ? undefined : `${name} is not armed.`;
    case "verify":
      if (version.verifyRequest) return `${name} is being verified at the moment.`;
      return LOADED_STATES.includes(state) ? undefined : `${name} is ${state}: it is not loaded.`;
    case "cancel":
      return CANDIDATE_STATES.includes(state)
        ? undefined
        : `${name} is ${state}: there is nothing to cancel.`;
    case "retire":
      if (state === "active") return `${name} is active. Promote another version first.`;
      return state === "previous"
        ? undefined
        : `${name} is ${state}: only the previous version can be retired.`;
  }
}

function rollbackReason(status: FilterStatus): string | undefined {
  const { active, previous } = slotsOf(status);
  if (!active) return "No version is active.";
  if (!previous) return "No previous version is kept: there is nothing to go back to.";
  return previous.failure === null ? undefined : failedReason(previous);
}

function failedReason({ version }: VersionStatus): string {
  return `v${version} has failed. Verify every row of it, then promote it.`;
}

/** Why no rebuild can begin now. */
export function rebuildDisabledReason(status: FilterStatus): string | undefined {
  const { candidate } = slotsOf(status);
  if (!candidate) return undefined;
  return `v${candidate.version} is ${candidate.state}. Promote or cancel it first.`;
}
