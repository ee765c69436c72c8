import type { AuditRow } from "../contract";

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** One row of the audit log about the filter, as a sentence: what happened to which version. */
export function describeAct({ action, actorKind, target, outcome, before, after }: AuditRow): string {
  const name = target?.replace(/^filter:/, "") ?? "the filter";
  const [was, is] = [record(before), record(after)];
  const isSystem = actorKind === "system";
  if (outcome === "refused") return `Was refused: ${action} of ${name}`;
  if (outcome === "failed" && !isSystem) return `Failed: ${action} of ${name}`;
  switch (action) {
    case "filter.rebuild":
      return `Asked for ${name}`;
    case "filter.advance":
      return `${name} went from ${text(was.state)} to ${text(is.state)}`;
    case "filter.cancel":
      return `Gave ${name} up while it was ${text(was.state)}`;
    case "filter.verify":
      return is.verify === "every-row"
        ? `Had every row verified in ${name}`
        : `Had a sample verified in ${name}`;
    case "filter.setTraffic":
      return `${name} answers ${percent(is.canaryPercent)} of the reads and is compared on ${percent(is.shadowPercent)}`;
    case "filter.promote":
      return is.active === undefined ? `Agreed to promote ${name}` : `Promoted ${name}${instead(was.active)}`;
    case "filter.arm":
      if (isSystem) return `The time of the armed ${name} ran out`;
      return is.armedUntil ? `Armed ${name}` : `Disarmed ${name}`;
    case "filter.verified":
      return outcome === "ok" ? `${name} agrees with the database` : `${name} failed its verification`;
    case "filter.baked":
      return `${name} stayed calm until the end of its watch`;
    case "filter.rollback":
      return `Rolled back from v${text(was.active)} to v${text(is.active)}`;
    case "filter.retire":
      return `Began to retire ${name}`;
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
