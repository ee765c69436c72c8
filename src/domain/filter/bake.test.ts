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

describe("a version that was promoted a moment ago", () => {
  it("stays while nothing is wrong, measured or not", () => {
    expect(bakeTrigger(GOOD)).toBeNull();
    expect(
      bakeTrigger({ ...GOOD, baseline: null, since: null, rows: { checked: 0, missing: 0 } }),
    ).toBeNull();
  });

  it.each<[string, Partial<BakeInput>, string]>([
    ["a shard is gone", { brokenShards: ["3f"] }, "1 of 256 shards"],
    ["a name is missing", { rows: { checked: 2_000, missing: 1 } }, "1 of 2,000 names"],
    ["a signup met a false negative", { since: { ...QUIET, falseNegatives: 1 } }, "1 signups"],
    ["the filter gives no proof", { since: { ...QUIET, unavailable: 2_000 } }, "no proof for 16.0 %"],
    ["false positives rise", { since: { ...QUIET, falsePositives: 400 } }, "false positives"],
  ])("goes back when %s", (_, change, words) => {
    expect(bakeTrigger({ ...GOOD, ...change })).toContain(words);
  });

  it("is not judged by a handful of reads", () => {
    const few = { absent: 10, maybe: 5, unavailable: 20, falsePositives: 5, falseNegatives: 0 };
    expect(bakeTrigger({ ...GOOD, since: few })).toBeNull();
  });

  it("is not blamed for what was so before", () => {
    const bad = { ...QUIET, unavailable: 5_000 };
    expect(bakeTrigger({ ...GOOD, baseline: bad, since: bad })).toBeNull();
  });
});
