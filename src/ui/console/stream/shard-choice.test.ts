import { describe, expect, it } from "vitest";
import { emptiestNeighbour, fullestShard } from "./shard-choice";

const row = (shardId: string, utilization: number | null, share = 0.25, neighbours: string[] = []) => ({
  shardId,
  utilization,
  share,
  neighbours,
});

describe("the shard that is proposed", () => {
  it("for a split is the fullest one, then the widest one", () => {
    expect(fullestShard([row("0", 0.2), row("1", 0.9), row("2", null)])).toBe("1");
    expect(fullestShard([row("0", null), row("1", null, 0.5), row("2", null)])).toBe("1");
    expect(fullestShard([row("10", 0), row("9", 0)])).toBe("9");
    expect(fullestShard([])).toBeNull();
  });

  it("for a merge is the neighbour with the least load", () => {
    const rows = [row("0", 0.2), row("1", 0.9, 0.25, ["0", "2"]), row("2", 0.1), row("3", 0)];
    expect(emptiestNeighbour(rows, "1")).toBe("2");
    expect(emptiestNeighbour(rows, "3")).toBeNull();
    expect(emptiestNeighbour(rows, "9")).toBeNull();
  });
});
