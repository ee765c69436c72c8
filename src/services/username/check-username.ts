import type { Availability } from "../../domain/username/availability";
import { readUsername } from "../../domain/username/username-policy";
import type { FilterAnswer } from "../../filter/reader";
import type { FallbackReason, GateMetrics } from "../../telemetry/gate-metrics";
import type { ReservedMatcher } from "../reserved-words/reserved-words";
import type { Confirmation } from "./confirm-username";

export type GateDeps = {
  reserved: { matcher: ReservedMatcher };
  filter: { lookup(key: string): Promise<FilterAnswer> };
  /** Whether the filter has all names but those of the last moments. */
  outboxLag: { isWithinBound: boolean };
  confirmer: { confirm(name: { key: string; skeleton: string }): Promise<Confirmation | null> };
  metrics: GateMetrics;
};

/** Wait after "busy": long enough for a burst to end, short enough for a user at the form. */
const BUSY_RETRY_MS = 2_000;

/** Is this username free? `available` holds at this moment; it reserves nothing. */
export async function checkUsername(deps: GateDeps, raw: string): Promise<Availability> {
  const availability = await decide(deps, raw);
  deps.metrics.checks[availability.status].inc();
  return availability;
}

async function decide(deps: GateDeps, raw: string): Promise<Availability> {
  const name = readUsername(raw);
  if (!name.ok) return { status: "invalid", rule: name.rule, message: name.message };
  const word = deps.reserved.matcher(name);
  if (word) return { status: "reserved", message: word.reason };

  const answer = await askFilter(deps, name.key);
  if (answer.answer === "absent") return { status: "available", source: "filter" };
  const confirmation = await confirmInDatabase(deps, name, answer);
  if (confirmation === null) return { status: "busy", retryAfterMs: BUSY_RETRY_MS };
  return { status: confirmation === "free" ? "available" : "taken", source: "database" };
}

/** What a look-up proves. `relay_behind`: it was absent, but its event may be pending. */
export type ProvenAnswer = FilterAnswer | { answer: "unproven"; reason: "relay_behind" };

/** One counted look-up in the filter. */
export async function askFilter(deps: GateDeps, key: string): Promise<ProvenAnswer> {
  const answer = await deps.filter.lookup(key);
  deps.metrics.lookups[answer.answer].inc();
  if (answer.byCanary) deps.metrics.canary[answer.answer].inc();
  const { compared } = answer;
  // Two answers that differ prove nothing: the database decides, and shows which version was wrong.
  if (compared && differ(compared)) return { ...answer, answer: "maybe" };
  if (compared) deps.metrics.shadow[compared.active === compared.candidate ? "same" : "unknown"].inc();
  if (answer.answer === "absent" && !deps.outboxLag.isWithinBound)
    return { answer: "unproven", reason: "relay_behind" };
  return answer;
}

/** One counted query of the database, after a look-up that proved nothing. */
export async function confirmInDatabase(
  deps: GateDeps,
  name: { key: string; skeleton: string },
  answer: ProvenAnswer,
): Promise<Confirmation | null> {
  const reason: FallbackReason = "reason" in answer ? answer.reason : "maybe";
  deps.metrics.fallbacks[reason].inc();
  const confirmation = await deps.confirmer.confirm(name);
  const keyIsAbsent = confirmation === "free" || confirmation === "lookalike";
  if (answer.answer === "maybe" && keyIsAbsent) deps.metrics.falsePositives.inc();
  const compared = "compared" in answer ? answer.compared : undefined;
  if (compared && differ(compared)) deps.metrics.shadow[outcomeOf(compared, confirmation)].inc();
  return confirmation;
}

type Compared = NonNullable<FilterAnswer["compared"]>;

function differ({ active, candidate }: Compared): boolean {
  return active !== candidate && active !== "unavailable" && candidate !== "unavailable";
}

/** Which of the two versions was wrong about the name, by the database's answer. */
function outcomeOf({ candidate }: Compared, confirmation: Confirmation | null) {
  if (confirmation === null) return "unknown";
  if (confirmation !== "taken") return "differs";
  return candidate === "absent" ? "missed" : "activeMissed";
}
