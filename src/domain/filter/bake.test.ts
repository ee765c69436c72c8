import { describe, expect, it } from "vitest";
import { type BakeInput, bakeTrigger, type GateTotals } from "./bake";

const QUIET: GateTotals = {
  absent: 9_900,
  maybe: 600,
  unavailable: 0,
  falsePositives: 90,
  falseNegatives: 0,
};
const GOOD: BakeInput = {
  errorRate: 0.01,
  baseline: QUIET,
  since: QUIET,
  brokenShards: [],
  rows: { checked: 30_000, missing: 0 },
};

describe("a version during its bake", () => {
  it("stays while every check passes, with and without totals", () => {
    expect(bakeTrigger(GOOD)).toBeNull();
    expect(
      bakeTrigger({ ...GOOD, baseline: null, since: null, rows: { checked: 0, missing: 0 } }),
    ).toBeNull();
  });

  it.each<[string, Partial<BakeInput>, string]>([
    ["a shard is broken", { brokenShards: ["3f"] }, "1 of 256 shards"],
    ["a name is missing", { rows: { checked: 2_000, missing: 1 } }, "1 of 2,000 names"],
    ["a sign-up found a false negative", { since: { ...QUIET, falseNegatives: 1 } }, "1 sign-ups"],
    [
      "the filter is unavailable too often",
      { since: { ...QUIET, unavailable: 2_000 } },
      "unavailable for 16.0 %",
    ],
    ["the false-positive rate rises", { since: { ...QUIET, falsePositives: 400 } }, "false positives"],
  ])("is rolled back when %s", (_, change, text) => {
    expect(bakeTrigger({ ...GOOD, ...change })).toContain(text);
  });

  it("stays after too few lookups for a rate", () => {
    const few = { absent: 10, maybe: 5, unavailable: 20, falsePositives: 5, falseNegatives: 0 };
    expect(bakeTrigger({ ...GOOD, since: few })).toBeNull();
  });

  it("stays when the baseline was as bad", () => {
    const bad = { ...QUIET, unavailable: 5_000 };
    expect(bakeTrigger({ ...GOOD, baseline: bad, since: bad })).toBeNull();
  });
});
