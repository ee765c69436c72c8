import { describe, expect, it } from "vitest";
import { slowestOf } from "./slowest";

const one = (owner: string, lagMs: number | null, partitions: number[]) => ({
  ...{ owner, lagMs, partitions, atMs: 0, waiting: 0, slowestProducer: null, memoryBytes: 0 },
});

describe("the aggregator that orders wait for", () => {
  it("is the latest; one that has nothing to do is none", () => {
    expect(slowestOf([one("idle", null, []), one("a", 3, [0]), one("b", 40, [1])])?.owner).toBe("b");
    expect(slowestOf([])).toBeUndefined();
  });

  it("is before all one that holds symbols and can't say", () => {
    expect(slowestOf([one("a", 900, [0]), one("stuck", null, [1])])?.owner).toBe("stuck");
  });
});
