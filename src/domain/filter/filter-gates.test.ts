import { describe, expect, it } from "vitest";
import { blockingGates, evaluateGates, type GateInput, type GateName } from "./filter-gates";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const GOOD: GateInput = {
  errorRate: 0.01,
  report: {
    scope: "sample",
    finishedAt: "2026-01-01T11:50:00Z",
    tookMs: 1_000,
    shards: { sealed: 256, full: 0, broken: [] },
    rows: { checked: 299_574, missed: 0, unproven: 0, missedShards: [] },
    absent: { checked: 50_000, maybe: 480 },
  },
  shadow: { same: 500, differs: 3, missed: 0, activeMissed: 1, unknown: 2 },
  outboxLagSeconds: 0.2,
  nowMs: NOW,
};
const report = GOOD.report!;
const verdictOf = (input: GateInput, name: GateName) =>
  evaluateGates(input).find(gate => gate.name === name)?.verdict;

describe("the gates before a promotion", () => {
  it("let a verified version pass", () => {
    expect(blockingGates(evaluateGates(GOOD))).toEqual([]);
    expect(evaluateGates(GOOD).find(gate => gate.name === "rows")?.value).toContain("1.0e-5 at 95 %");
  });

  it("do not pass without data", () => {
    const nothing = { ...GOOD, report: null, shadow: null, outboxLagSeconds: null };
    expect(evaluateGates(nothing).map(gate => gate.verdict)).toEqual(new Array(6).fill("no data"));
    expect(blockingGates(evaluateGates(nothing), ["shards", "rows", "shadow"])).toHaveLength(5);
  });

  it.each<[string, GateName, Partial<GateInput>]>([
    [
      "a shard is missing",
      "shards",
      { report: { ...report, shards: { sealed: 255, full: 0, broken: ["3f"] } } },
    ],
    ["a name is missing", "rows", { report: { ...report, rows: { ...report.rows, missed: 1 } } }],
    [
      "a name lies in an unsealed shard",
      "rows",
      { report: { ...report, rows: { ...report.rows, unproven: 1 } } },
    ],
    [
      "the false-positive rate is too high",
      "falsePositives",
      { report: { ...report, absent: { checked: 50_000, maybe: 700 } } },
    ],
    ["the report is a day old", "age", { report: { ...report, finishedAt: "2025-12-31T12:00:00Z" } }],
    ["a shadow read missed a name", "shadow", { shadow: { ...GOOD.shadow!, missed: 1 } }],
    ["the relay is behind", "outbox", { outboxLagSeconds: 40 }],
  ])("block a version when %s", (_, name, change) => {
    expect(verdictOf({ ...GOOD, ...change }, name)).toBe("fail");
    expect(blockingGates(evaluateGates({ ...GOOD, ...change }), [name])).toHaveLength(1);
  });

  it("have no data after too few false-positive trials", () => {
    const few = { ...report, absent: { checked: 500, maybe: 0 } };
    expect(verdictOf({ ...GOOD, report: few }, "falsePositives")).toBe("no data");
  });

  it("can be waived without shadow reads, but not when a shadow read missed a name", () => {
    const quiet = evaluateGates({ ...GOOD, shadow: null });
    expect(blockingGates(quiet).map(gate => gate.name)).toEqual(["shadow"]);
    expect(blockingGates(quiet, ["shadow"])).toEqual([]);
    const missed = evaluateGates({ ...GOOD, shadow: { ...GOOD.shadow!, missed: 1 } });
    expect(blockingGates(missed, ["shadow"])).toHaveLength(1);
  });
});
