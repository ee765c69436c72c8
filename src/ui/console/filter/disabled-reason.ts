import { CANDIDATE_STATES, canBecome } from "../../../domain/filter/filter-version";
import type { Action, FilterStatus, VersionStatus } from "../contract";
import { slotsOf } from "./slots";

/** What can be asked for on the page. */
export const ASKS = [
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
export type Ask = (typeof ASKS)[number];

export const ASK_ACTIONS: Record<Ask, Action> = {
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

/** Why the state of the rollout does not allow this, in words; undefined when it does. */
export function blockedBy(ask: Ask, status: FilterStatus, version?: VersionStatus): string | undefined {
  if (ask === "schedule") return undefined;
  if (ask === "rollback") return rollbackBlocked(status);
  if (!version) return "There is no such version any more.";
  const { state } = version;
  const name = `v${version.version}`;
  switch (ask) {
    case "promote":
      if (state === "active") return `${name} is active already.`;
      if (state === "previous" && version.failure !== null) return damaged(version);
      return canBecome(state, "active") ? undefined : `${name} is ${state}: it is not verified yet.`;
    case "setTraffic":
    case "arm":
      return state === "ready" ? undefined : `${name} is ${state}: only a version that is ready can do this.`;
    case "disarm":
      return version.armedUntil ? undefined : `${name} is not armed.`;
    case "verify":
      if (version.verifyRequest) return `${name} is being verified at the moment.`;
      return ["ready", "active", "previous"].includes(state)
        ? undefined
        : `${name} is ${state}: it is not loaded.`;
    case "cancel":
      return CANDIDATE_STATES.includes(state)
        ? undefined
        : `${name} is ${state}: there is nothing to cancel.`;
    case "retire":
      if (state === "active") return `Readers follow ${name}. Promote another version first.`;
      return state === "previous" ? undefined : `${name} is ${state}: only the previous version is retired.`;
  }
}

function rollbackBlocked(status: FilterStatus): string | undefined {
  const { active, previous } = slotsOf(status);
  if (!active) return "No version is active.";
  if (!previous) return "No previous version is kept: there is nothing to go back to.";
  if (previous.failure === null) return undefined;
  return damaged(previous);
}

function damaged({ version }: VersionStatus): string {
  return `v${version} was left because of a fault. Verify every row of it, then promote it.`;
}

/** Why no rebuild can begin now. */
export function rebuildBlocked(status: FilterStatus): string | undefined {
  const { candidate } = slotsOf(status);
  if (!candidate) return undefined;
  return `v${candidate.version} is ${candidate.state}. Promote or cancel it first.`;
}
