import { wilsonInterval, zeroHitsBound } from "./confidence-interval";

/** What a verification measured. Stored with the version; `finishedAt` is ISO 8601. */
export type VerificationReport = {
  scope: "sample" | "every-row";
  finishedAt: string;
  tookMs: number;
  /** Shards by what they proved to be; `broken` names some of those that are neither sealed nor full. */
  shards: { sealed: number; full: number; broken: string[] };
  /** Names of the database that were looked up. `missed` is what no pending event explains. */
  rows: { checked: number; missed: number; unproven: number; missedShards: string[] };
  /** Names that cannot exist. */
  absent: { checked: number; maybe: number };
};

/** Reads of which both versions were asked, since comparing began. */
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
  /** As people read it, such as "0 missed of 299,574". */
  value: string;
  threshold: string;
  /** An operator may promote without this one when it has no data; never when it fails. */
  waivable: boolean;
};

export type GateInput = {
  errorRate: number;
  report: VerificationReport | null;
  shadow: ShadowCounts | null;
  /** Age of the oldest event that is not in the filter yet, seconds; null when nobody knows. */
  outboxLagSeconds: number | null;
  nowMs: number;
};

/** What a verification alone decides: a version that fails one of these is of no use to anybody. */
export const DECISIVE_GATES: readonly GateName[] = ["shards", "rows", "falsePositives"];

export const GATE_LIMITS = {
  shards: 256,
  absentNames: 10_000,
  comparedReads: 100,
  reportAgeMs: 60 * 60_000,
  outboxLagSeconds: 15,
};

/** What must hold before a version is promoted. "No data" never passes. */
export function evaluateGates(input: GateInput): Gate[] {
  return [shardsGate(input), rowsGate(input), falsePositivesGate(input), ageGate(input), ...liveGates(input)];
}

function shardsGate({ report }: GateInput): Gate {
  const sealed = report ? report.shards.sealed : 0;
  const broken = report?.shards.broken ?? [];
  return {
    name: "shards",
    title: "Every shard is loaded, with the right parameters and its sentinel",
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
    title: "Names of the database are in the filter",
    // An empty table has no name that could be missing, an empty sample says nothing.
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
    title: "False positives are as rare as configured",
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
    title: "The verification is recent",
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
      title: "Reads of both versions agree about names that are taken",
      verdict: missed > 0 ? "fail" : compared >= GATE_LIMITS.comparedReads ? "pass" : "no data",
      value: `${count(missed)} missed of ${count(compared)} compared`,
      threshold: `0 missed of at least ${GATE_LIMITS.comparedReads}`,
      waivable: true,
    },
    {
      name: "outbox",
      title: "The relay keeps up",
      verdict: lag === null ? "no data" : lag <= GATE_LIMITS.outboxLagSeconds ? "pass" : "fail",
      value: lag === null ? "not known" : `${lag.toFixed(1)} s behind`,
      threshold: `at most ${GATE_LIMITS.outboxLagSeconds} s`,
      waivable: false,
    },
  ];
}

/** Gates that stand in the way; a waived one only if it has no data and may be waived. */
export function blockingGates(gates: readonly Gate[], waived: readonly GateName[] = []): Gate[] {
  return gates.filter(gate => {
    if (gate.verdict === "pass") return false;
    return !(gate.verdict === "no data" && gate.waivable && waived.includes(gate.name));
  });
}

function count(n: number): string {
  return n.toLocaleString("en-US");
}
