import { FULL_UTILIZATION } from "./shard-load";

export type SuggestionKind = "split" | "unsplit";

/** A symbol as it is this second. Shares are of one shard's limit; null: nobody counted, or there is no limit. */
export type SymbolReading = {
  epoch: number;
  factor: number;
  /** When its plan was set, milliseconds since 1970; null: it never was split. */
  changedAtMs: number | null;
  /** Its split ends by itself. */
  expires: boolean;
  /** What one shard would have to take if it were not split. */
  utilization: number | null;
  /** What its fullest shard carries, other symbols included. */
  shardUtilization: number | null;
  /** Records that its fullest shard refuses. */
  throttledPerSecond: number;
  recommended: number | null;
};

/**
 *   calm (null) ──above HOT──▶ heating ──for HOT_FOR_MS──▶ hot      proposes a split until below FULL
 *        │                        └──below HOT──▶ calm
 *        └──below COOL──▶ settling ──for COOL_FOR_MS──▶ cool        proposes an unsplit until above FULL;
 *                            └──above COOL──▶ calm                  what expires anyway waits for longer
 * Any change of the plan, and seconds without figures, lead to calm. Between FULL and HOT, and between
 * COOL and FULL, nothing begins and nothing ends.
 */
export type Watch = {
  phase: "heating" | "hot" | "settling" | "cool";
  epoch: number;
  factor: number;
  /** When it got above HOT, or below COOL. */
  sinceMs: number;
  /** The factor to split by; 1 to cool down. */
  proposed: number;
};

/** Past the 70 % that are recommended, so that what was just split does not call again at once. */
export const HOT_UTILIZATION = 0.85;
/** Well below full, so that a symbol does not swing between hot and cooling. */
export const MERGE_UTILIZATION = 0.5;
export const HOT_FOR_MS = 4_000;
export const COOL_FOR_MS = 60_000;
/** A trader may have split it for what is still to come. */
export const COOL_FOR_EXPIRING_MS = 600_000;
/** After a change the figures, which are over seconds, have to settle first. */
export const SETTLE_MS = 20_000;

/**
 * How hard a symbol presses on its fullest shard: its own part, or what the shard carries, but that only
 * up to twice its own part. A small symbol on a full shard is not the cause.
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
  const goesOn = (forMs: number) => watch !== null && nowMs - watch.sinceMs >= forMs;
  switch (watch?.phase) {
    case "hot":
      return pressure < FULL_UTILIZATION ? null : { ...watch, proposed: better(watch.proposed, reading) };
    case "cool":
      return utilization > FULL_UTILIZATION ? null : watch;
    case "settling":
      if (utilization >= MERGE_UTILIZATION || recommended !== 1) return null;
      return goesOn(reading.expires ? COOL_FOR_EXPIRING_MS : COOL_FOR_MS)
        ? { ...watch, phase: "cool" }
        : watch;
    case "heating":
      if (pressure < HOT_UTILIZATION || recommended <= factor) return null;
      return { ...watch, phase: goesOn(HOT_FOR_MS) ? "hot" : "heating", proposed: recommended };
    default:
      if (pressure >= HOT_UTILIZATION && recommended > factor)
        return { phase: "heating", epoch, factor, sinceMs: nowMs, proposed: recommended };
      if (factor > 1 && utilization < MERGE_UTILIZATION && recommended === 1)
        return { phase: "settling", epoch, factor, sinceMs: nowMs, proposed: 1 };
      return null;
  }
}

/** What a watch proposes, if it has watched for long enough. */
export function kindOf(watch: Pick<Watch, "phase"> | null): SuggestionKind | null {
  return watch?.phase === "hot" ? "split" : watch?.phase === "cool" ? "unsplit" : null;
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
  if (kind === "unsplit") return `${load}, calm for ${time}`;
  const refused = throttledPerSecond > 0 ? `, ${Math.ceil(throttledPerSecond)} records/s refused` : "";
  return `${load}, hot for ${time}${refused}`;
}

/** A recommendation that has fallen to what there is already does not take back what was proposed. */
function better(proposed: number, { factor, recommended }: SymbolReading): number {
  return recommended !== null && recommended > factor ? recommended : proposed;
}
