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

  const answer = await askFilter(deps, name);
  if (answer.answer === "absent") return { status: "available", source: "filter" };
  const confirmation = await confirmInDatabase(deps, name, answer);
  if (confirmation === null) return { status: "busy", retryAfterMs: BUSY_RETRY_MS };
  return { status: confirmation === "free" ? "available" : "taken", source: "database" };
}

/** What a look-up proves. `relay_behind`: it was absent, but its event may be pending. */
export type ProvenAnswer = (FilterAnswer & { item: string }) | { answer: "unproven"; reason: "relay_behind" };

type Name = { key: string; skeleton: string };

/**
 * The look-up that decides, of the key and of the skeleton: lookalikes have that in common. Both go out together; a name
 * is absent only if both are.
 */
async function lookUpBoth(
  { filter }: GateDeps,
  { key, skeleton }: Name,
): Promise<FilterAnswer & { item: string }> {
  const items = skeleton === key ? [key] : [key, skeleton];
  const answers = await Promise.all(items.map(async item => ({ ...(await filter.lookup(item)), item })));
  return (
    answers.find(({ answer, compared }) => answer !== "absent" || (compared && differ(compared))) ??
    answers[0]!
  );
}

/** One counted look-up in the filter. */
export async function askFilter(deps: GateDeps, name: Name): Promise<ProvenAnswer> {
  const answer = await lookUpBoth(deps, name);
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
  name: Name,
  answer: ProvenAnswer,
): Promise<Confirmation | null> {
  const reason: FallbackReason = "reason" in answer ? answer.reason : "maybe";
  deps.metrics.fallbacks[reason].inc();
  const confirmation = await deps.confirmer.confirm(name);
  if (!("item" in answer)) return confirmation;
  const isItem = hasItem(confirmation, answer.item === name.skeleton);
  if (answer.answer === "maybe" && isItem === false) deps.metrics.falsePositives.inc();
  const { compared } = answer;
  if (compared && differ(compared)) deps.metrics.shadow[outcomeOf(compared, isItem)].inc();
  return confirmation;
}

type Compared = NonNullable<FilterAnswer["compared"]>;

function differ({ active, candidate }: Compared): boolean {
  return active !== candidate && active !== "unavailable" && candidate !== "unavailable";
}

/** Whether the filter should have the item that was looked up; null when the database did not answer. */
function hasItem(confirmation: Confirmation | null, isSkeleton: boolean): boolean | null {
  if (confirmation === null) return null;
  return confirmation === "taken" || (confirmation === "lookalike" && isSkeleton);
}

/** Which of the two versions was wrong about the item. */
function outcomeOf({ candidate }: Compared, isItem: boolean | null) {
  if (isItem === null) return "unknown";
  if (!isItem) return "differs";
  return candidate === "absent" ? "missed" : "activeMissed";
}
