import { describe, expect, it } from "vitest";
import { LAB_DEFAULTS } from "../../../domain/lab/lab-run";
import type { ScenarioFigures } from "../../../domain/lab/scenario";
import { describeScenario, verdictOf } from "./describe-scenario";

const figures: ScenarioFigures = {
  violations: 0,
  throttled: 0,
  turnedAway: 0,
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
const describeWith = (choice: Parameters<typeof describeScenario>[0], part: Partial<ScenarioFigures> = {}) =>
  describeScenario(choice, { ...figures, ...part }, LAB_DEFAULTS);

describe("the description of a scenario", () => {
  it("names the sales before their purchase with random keys", () => {
    expect(describeWith("random", { violations: 2_939 })).toContain(
      "2,939 sales arrived before their purchase",
    );
    expect(describeWith("random")).toContain("No sale overtook its purchase in this run");
  });

  it("names the throttled records of one key", () => {
    expect(describeWith("hash", { throttled: 8_793, turnedAway: 12 })).toBe(
      "One shard keeps the order and takes all orders of DOGE; the other 4 shards are idle. Records were throttled 8,793 times, and 12 orders were turned away.",
    );
    expect(describeWith("hash")).toContain("No record was throttled at this rate");
  });

  it("counts the shards that plain suffixes hit", () => {
    expect(
      describeWith("splitPlain", { recordsPerShard: [1, 0, 0, 0, 4], capacityInShards: 1.26, throttled: 1 }),
    ).toContain("DOGE-1 to DOGE-5 hash to 2 of 5 shards, so a split by 5 has the capacity of 1.26 shards");
  });

  it("names the capacity of planned suffixes, and the latency of restoring the order", () => {
    expect(describeWith("splitPlanned")).toBe(
      "Each suffix has its own shard. The split has the capacity of 4.70 shards. All orders arrived in order, with a median latency of 21 ms.",
    );
  });

  it("names the orders that a busy machine turned away", () => {
    expect(describeWith("splitPlanned", { turnedAway: 500 })).toContain(
      "500 orders were turned away: buffers were full.",
    );
  });

  it.each(["random", "hash", "splitPlain", "splitPlanned"] as const)("names lost orders with %s", choice => {
    expect(describeWith(choice, { lost: 3 })).toContain("3 accepted orders never reached the engine.");
    expect(describeWith(choice)).not.toContain("never reached");
  });

  it("judges lost orders first, then the order, throttling, and orders that were turned away", () => {
    expect(verdictOf({ ...figures, lost: 1, violations: 1 }).word).toBe("Orders lost");
    expect(verdictOf({ ...figures, violations: 1, throttled: 1 }).word).toBe("Out of order");
    expect(verdictOf({ ...figures, throttled: 1 }).word).toBe("Throttled");
    expect(verdictOf({ ...figures, turnedAway: 500 }).word).toBe("Orders turned away");
    expect(verdictOf(figures).state).toBe("ok");
    expect(verdictOf({ ...figures, violations: null }).state).toBe("unknown");
  });
});
