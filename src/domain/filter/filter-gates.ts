import { wilsonInterval, zeroHitsBound } from "./confidence-interval";

/** Result of a verification. Stored with the version; `finishedAt` is ISO 8601. */
export type VerificationReport = {
  scope: "sample" | "every-row";
  finishedAt: string;
  tookMs: number;
  /** Shards by state; `broken` lists the first shards that are neither sealed nor full. */
  shards: { sealed: number; full: number; broken: string[] };
  /** Lookups of names of the database. `missed`: absent without a pending event. `unproven`: unsealed shard. */
  rows: { checked: number; missed: number; unproven: number; missedShards: string[] };
  /** Lookups of names that can't exist. */
  absent: { checked: number; maybe: number };
};

/** Shadow reads since the shadow sampling was started, by result. */
export type ShadowCounts = {
  same: number;
  differs: number;
  missed: number;
  activeMissed: number;
  unknown: number;
};

export type GateVerdict = "pass" | "fail" | "no data";
export type GateName = "shards" | "rows" | "falsePositives" | "age" | "shadow" | "outbox";

export type Gate = {
  name: GateName;
  title: string;
  verdict: GateVerdict;
  /** Text for the console, such as "0 missed of 299,574". */
  value: string;
  threshold: string;
  /** An operator may waive this gate while it has no data, but not when it fails. */
  waivable: boolean;
};

export type GateInput = {
  errorRate: number;
  report: VerificationReport | null;
  shadow: ShadowCounts | null;
  /** Age of the oldest event that is not in the filter yet, seconds; null when it is unknown. */
  outboxLagSeconds: number | null;
  nowMs: number;
};

/** Gates that a verification decides alone: a version that fails one of them can't be used. */
export const DECISIVE_GATES: readonly GateName[] = ["shards", "rows", "falsePositives"];

export const GATE_LIMITS = {
  shards: 256,
  absentNames: 10_000,
  comparedReads: 100,
  reportAgeMs: 60 * 60_000,
  outboxLagSeconds: 15,
};

/** The gates of a version before its promotion. "No data" does not pass. */
export function evaluateGates(input: GateInput): Gate[] {
  return [shardsGate(input), rowsGate(input), falsePositivesGate(input), ageGate(input), ...liveGates(input)];
}

function shardsGate({ report }: GateInput): Gate {
  const sealed = report ? report.shards.sealed : 0;
  const broken = report?.shards.broken ?? [];
  return {
    name: "shards",
    title: "Sealed shards",
    verdict: !report ? "no data" : sealed === GATE_LIMITS.shards ? "pass" : "fail",
    value: report
      ? `${sealed} of 256${broken.length > 0 ? `; not ${broken.join(", ")}` : ""}`
      : "not verified",
    threshold: "256 of 256",
    waivable: false,
  };
}

function rowsGate({ report }: GateInput): Gate {
  const rows = report?.rows;
  const isClean = rows && rows.missed === 0 && rows.unproven === 0;
  const isEmptySample = report?.scope === "sample" && rows?.checked === 0;
  const bound = rows ? zeroHitsBound(rows.checked).toExponential(1) : "";
  const clean = rows
    ? report?.scope === "every-row"
      ? `0 missed of ${count(rows.checked)}, every row`
      : `0 missed of ${count(rows.checked)}: at most ${bound} at 95 %`
    : "not verified";
  const dirty = rows ? `${count(rows.missed)} missed, ${count(rows.unproven)} without proof` : "";
  return {
    name: "rows",
    title: "No false negatives",
    // An empty table passes, because no name can be missing. An empty sample is no data.
    verdict: !rows || isEmptySample ? "no data" : isClean ? "pass" : "fail",
    value: isClean || !rows ? clean : `${dirty} of ${count(rows.checked)} (${rows.missedShards.join(", ")})`,
    threshold: "0 missed",
    waivable: false,
  };
}

function falsePositivesGate({ report, errorRate }: GateInput): Gate {
  const absent = report?.absent ?? { checked: 0, maybe: 0 };
  const { low, high } = wilsonInterval(absent.maybe, absent.checked);
  const percent = (ratio: number) => `${(ratio * 100).toPrecision(3)} %`;
  const verdict = absent.checked < GATE_LIMITS.absentNames ? "no data" : low <= errorRate ? "pass" : "fail";
  return {
    name: "falsePositives",
    title: "False-positive rate",
    verdict,
    value:
      absent.checked === 0
        ? "not verified"
        : `${percent(absent.maybe / absent.checked)} (${percent(low)} to ${percent(high)}) of ${count(absent.checked)}`,
    threshold: `at most ${percent(errorRate)}`,
    waivable: false,
  };
}

function ageGate({ report, nowMs }: GateInput): Gate {
  const ageMs = report ? nowMs - Date.parse(report.finishedAt) : 0;
  return {
    name: "age",
    title: "Verification age",
    verdict: !report ? "no data" : ageMs <= GATE_LIMITS.reportAgeMs ? "pass" : "fail",
    value: report ? `${Math.max(0, Math.round(ageMs / 60_000))} min old` : "not verified",
    threshold: "at most 60 min",
    waivable: false,
  };
}

function liveGates({ shadow, outboxLagSeconds: lag }: GateInput): Gate[] {
  const compared = shadow ? shadow.same + shadow.differs + shadow.missed + shadow.activeMissed : 0;
  const missed = shadow?.missed ?? 0;
  return [
    {
      name: "shadow",
      title: "Shadow reads agree",
      verdict: missed > 0 ? "fail" : compared >= GATE_LIMITS.comparedReads ? "pass" : "no data",
      value: `${count(missed)} missed of ${count(compared)} compared`,
      threshold: `0 missed of at least ${GATE_LIMITS.comparedReads}`,
      waivable: true,
    },
    {
      name: "outbox",
      title: "Relay lag",
      verdict: lag === null ? "no data" : lag <= GATE_LIMITS.outboxLagSeconds ? "pass" : "fail",
      value: lag === null ? "unknown" : `${lag.toFixed(1)} s`,
      threshold: `at most ${GATE_LIMITS.outboxLagSeconds} s`,
      waivable: false,
    },
  ];
}

/** Gates that block a promotion. A waivable gate without data does not block when it is waived. */
export function blockingGates(gates: readonly Gate[], waived: readonly GateName[] = []): Gate[] {
  return gates.filter(gate => {
    if (gate.verdict === "pass") return false;
    return !(gate.verdict === "no data" && gate.waivable && waived.includes(gate.name));
  });
}

function count(n: number): string {
  return n.toLocaleString("en-US");
}
