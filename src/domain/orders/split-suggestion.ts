import { FULL_UTILIZATION } from "./shard-load";

export type SuggestionKind = "split" | "merge";

/** A symbol at this second. A utilization is of one shard's limit. Null: not counted, or there is no limit. */
export type SymbolReading = {
  epoch: number;
  factor: number;
  /** When its plan was set, milliseconds since 1970; null: it was never split. */
  changedAtMs: number | null;
  /** Its split has an expiry. */
  expires: boolean;
  /** What one shard would carry after a merge. */
  utilization: number | null;
  /** Load of its fullest shard, other symbols included. */
  shardUtilization: number | null;
  /** Records that its fullest shard refuses, per second. */
  throttledPerSecond: number;
  recommended: number | null;
};

/**
 *   calm (null) ──above HOT──▶ heating ──for HOT_FOR_MS──▶ hot      proposes a split until below FULL
 *        │                        └──below HOT──▶ calm
 *        └──below MERGE──▶ settling ──for MERGEABLE_FOR_MS──▶ mergeable  proposes a merge until above FULL;
 *                             └──above MERGE──▶ calm         a split with an expiry waits for longer
 * A change of the plan, and a second without figures, lead to calm. Between FULL and HOT, and between
 * MERGE and FULL, no phase begins and none ends.
 */
export type Watch = {
  phase: "heating" | "hot" | "settling" | "mergeable";
  epoch: number;
  factor: number;
  /** When it rose above HOT, or fell below MERGE. Milliseconds since 1970. */
  sinceMs: number;
  /** The factor to split by; 1 to merge. */
  proposed: number;
};

/** Above the recommended 70 %, so that a symbol is not proposed again right after its split. */
export const HOT_UTILIZATION = 0.85;
/** Well below full, so that a symbol does not alternate between hot and mergeable. */
export const MERGE_UTILIZATION = 0.5;
export const HOT_FOR_MS = 4_000;
export const MERGEABLE_FOR_MS = 60_000;
/** A trader may have split it for a load that is still to come. */
export const MERGEABLE_FOR_EXPIRING_MS = 600_000;
/** After a change: the figures are averages over seconds and have to settle first. */
export const SETTLE_MS = 20_000;

/**
 * The pressure of a symbol on its fullest shard: its own part, or the load of the shard, at most twice its
 * own part. A small symbol on a full shard is not the cause.
 */
export function pressureOf({
  utilization,
  factor,
  shardUtilization,
}: Pick<SymbolReading, "utilization" | "factor" | "shardUtilization">) {
  if (utilization === null) return null;
  const own = utilization / factor;
  return Math.max(own, Math.min(shardUtilization ?? 0, 2 * own));
}

/** One step of the detector, to be taken once a second. Pure. */
export function nextWatch(before: Watch | null, reading: SymbolReading, nowMs: number): Watch | null {
  const { epoch, factor, utilization, changedAtMs, recommended } = reading;
  const pressure = pressureOf(reading);
  if (utilization === null || pressure === null || recommended === null) return null;
  if (changedAtMs !== null && nowMs < changedAtMs + SETTLE_MS) return null;
  const watch = before?.epoch === epoch && before.factor === factor ? before : null;
  const hasLasted = (forMs: number) => watch !== null && nowMs - watch.sinceMs >= forMs;
  switch (watch?.phase) {
    case "hot":
      return pressure < FULL_UTILIZATION ? null : { ...watch, proposed: raised(watch.proposed, reading) };
    case "mergeable":
      return utilization > FULL_UTILIZATION ? null : watch;
    case "settling":
      if (utilization >= MERGE_UTILIZATION || recommended !== 1) return null;
      return hasLasted(reading.expires ? MERGEABLE_FOR_EXPIRING_MS : MERGEABLE_FOR_MS)
        ? { ...watch, phase: "mergeable" }
        : watch;
    case "heating":
      if (pressure < HOT_UTILIZATION || recommended <= factor) return null;
      return { ...watch, phase: hasLasted(HOT_FOR_MS) ? "hot" : "heating", proposed: recommended };
    default:
      if (pressure >= HOT_UTILIZATION && recommended > factor)
        return { phase: "heating", epoch, factor, sinceMs: nowMs, proposed: recommended };
      if (factor > 1 && utilization < MERGE_UTILIZATION && recommended === 1)
        return { phase: "settling", epoch, factor, sinceMs: nowMs, proposed: 1 };
      return null;
  }
}

/** The proposal of a watch that has lasted for long enough. */
export function kindOf(watch: Pick<Watch, "phase"> | null): SuggestionKind | null {
  return watch?.phase === "hot" ? "split" : watch?.phase === "mergeable" ? "merge" : null;
}

export type Evidence = {
  kind: SuggestionKind;
  utilization: number;
  throttledPerSecond: number;
  sinceMs: number;
};

/** "142 % of one shard's limit for 12 s, 35 records/s refused". */
export function evidenceText(
  { kind, utilization, throttledPerSecond, sinceMs }: Evidence,
  nowMs: number,
): string {
  const seconds = Math.max(0, Math.round((nowMs - sinceMs) / 1_000));
  const time = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  const load = `${Math.round(utilization * 100)} % of one shard's limit`;
  if (kind === "merge") return `${load}, calm for ${time}`;
  const refused = throttledPerSecond > 0 ? `, ${Math.ceil(throttledPerSecond)} records/s refused` : "";
  return `${load}, hot for ${time}${refused}`;
}

/** A recommendation that falls to the present factor does not withdraw the proposal. */
function raised(proposed: number, { factor, recommended }: SymbolReading): number {
  return recommended !== null && recommended > factor ? recommended : proposed;
}
