import { describe, expect, it } from "vitest";
import { LAB_DEFAULTS } from "../../../domain/lab/lab-run";
import type { ScenarioFigures } from "../../../domain/lab/scenario";
import { describeScenario, verdictOf } from "./describe-scenario";

const figures: ScenarioFigures = {
  violations: 0,
  throttled: 0,
  lost: 0,
  ordersPerSecond: 4_700,
  capacityInShards: 4.7,
  busiestShardRatio: 0.2,
  latencyP50Ms: 21,
  latencyP99Ms: 60,
  sent: 100,
  received: 100,
  recordsPerShard: [20, 20, 20, 20, 20],
};
const say = (choice: Parameters<typeof describeScenario>[0], part: Partial<ScenarioFigures> = {}) =>
  describeScenario(choice, { ...figures, ...part }, LAB_DEFAULTS);

describe("a scenario in words", () => {
  it("says what random keys cost", () => {
    expect(say("random", { violations: 2_939 })).toContain("2,939 sales arrived before their purchase");
    expect(say("random")).toContain("No sale overtook its purchase this time");
  });

  it("says what one key costs", () => {
    expect(say("hash", { throttled: 8_793, lost: 12 })).toBe(
      "One shard keeps the order, and takes every order of DOGE, while 4 stand idle. 8,793 times a record met the limit and 12 orders were turned away.",
    );
    expect(say("hash")).toContain("Nothing met a limit at this rate");
  });

  it("counts the shards that plain suffixes hit", () => {
    expect(
      say("splitPlain", { recordsPerShard: [1, 0, 0, 0, 4], capacityInShards: 1.26, throttled: 1 }),
    ).toContain("DOGE-1 to DOGE-5 hash to 2 of 5 shards, so a split by 5 buys the room of 1.26 shards");
  });

  it("says what planned suffixes buy, and what waiting for order takes", () => {
    expect(say("splitPlanned")).toBe(
      "Each suffix has a shard of its own: the room of 4.70 shards. Every order came in its place, after a wait of 21 ms.",
    );
  });

  it("does not hide what a busy machine turned away", () => {
    expect(say("splitPlanned", { lost: 500 })).toContain("500 orders were turned away: buffers were full.");
  });

  it("judges by order first, then by room", () => {
    expect(verdictOf({ ...figures, violations: 1, throttled: 1 }).word).toBe("Out of order");
    expect(verdictOf({ ...figures, throttled: 1 }).word).toBe("Throttled");
    expect(verdictOf({ ...figures, lost: 500 }).word).toBe("Orders turned away");
    expect(verdictOf(figures).state).toBe("ok");
    expect(verdictOf({ ...figures, violations: null }).state).toBe("unknown");
  });
});
