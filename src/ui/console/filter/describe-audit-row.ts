import type { AuditRow } from "../contract";

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** An audit row of the filter as a sentence. */
export function describeAuditRow({ action, actorKind, target, outcome, before, after }: AuditRow): string {
  const name = target?.replace(/^filter:/, "") ?? "the filter";
  const [was, is] = [record(before), record(after)];
  const isSystem = actorKind === "system";
  if (outcome === "refused") return `Refused: ${action} of ${name}`;
  if (outcome === "failed" && !isSystem) return `Failed: ${action} of ${name}`;
  switch (action) {
    case "filter.rebuild":
      return `Requested ${name}`;
    case "filter.advance":
      return `${name} went from ${text(was.state)} to ${text(is.state)}`;
    case "filter.cancel":
      return `Cancelled ${name} while it was ${text(was.state)}`;
    case "filter.verify":
      return is.verify === "every-row"
        ? `Requested a verification of every row of ${name}`
        : `Requested a verification of a sample of ${name}`;
    case "filter.setTraffic":
      return `Set traffic of ${name}: canary ${percent(is.canaryPercent)}, shadow ${percent(is.shadowPercent)}`;
    case "filter.promote":
      return is.active === undefined ? `Approved ${name}` : `Promoted ${name}${instead(was.active)}`;
    case "filter.arm":
      if (isSystem) return `The time limit of the armed ${name} ended`;
      return is.armedUntil ? `Armed ${name}` : `Disarmed ${name}`;
    case "filter.verified":
      return outcome === "ok" ? `${name} passed its verification` : `${name} failed its verification`;
    case "filter.baked":
      return `${name} finished its bake without a fault`;
    case "filter.rollback":
      return `Rolled back from v${text(was.active)} to v${text(is.active)}`;
    case "filter.retire":
      return `Started to retire ${name}`;
    case "filter.schedule":
      return is.everyHours === null
        ? "Ended the scheduled rebuilds"
        : `Scheduled a rebuild every ${text(is.everyHours)} h`;
    default:
      return `${action} of ${name}`;
  }
}

const text = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "an unknown state";
const percent = (value: unknown): string =>
  typeof value === "number" ? `${value} %` : "an unknown percentage";
const instead = (active: unknown): string => (typeof active === "number" ? `, in place of v${active}` : "");
