import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evenShards, HASH_SPACE, type Shard, shardOfKey } from "./hash-range";
import { applyShardChange, MAX_SHARDS, mergeRefusal, neighboursOf, type ShardChange } from "./shard-change";

const idsOf = (shards: readonly Shard[]) => shards.map(({ id }) => id);
const open = evenShards(4);

describe("a change of the shards", () => {
  it("splits a shard into two halves with the next numbers", () => {
    const { closed, opened, after } = applyShardChange({ open }, { kind: "split", shardId: "1" });
    expect(idsOf(closed)).toEqual(["1"]);
    expect(idsOf(after)).toEqual(["0", "2", "3", "4", "5"]);
    expect(opened[0]!.startHash).toBe(closed[0]!.startHash);
    expect(opened[1]!.endHash).toBe(closed[0]!.endHash);
    expect(opened[0]!.endHash + 1n).toBe(opened[1]!.startHash);
  });

  it("merges two neighbours, in any order, into one", () => {
    for (const [shardId, neighbourId] of [
      ["1", "2"],
      ["2", "1"],
    ] as const) {
      const { closed, opened, after } = applyShardChange({ open }, { kind: "merge", shardId, neighbourId });
      expect(idsOf(closed)).toEqual(["1", "2"]);
      expect(opened).toEqual([{ id: "4", startHash: open[1]!.startHash, endHash: open[2]!.endHash }]);
      expect(idsOf(after)).toEqual(["0", "3", "4"]);
    }
  });

  it.each([
    [{ kind: "split", shardId: "9" }, "There is no open shard 9."],
    [{ kind: "merge", shardId: "0", neighbourId: "9" }, "There is no open shard 9."],
    [
      { kind: "merge", shardId: "1", neighbourId: "3" },
      "Shards 1 and 3 are not adjacent. Merge 1 with 0 or 2.",
    ],
    [{ kind: "merge", shardId: "0", neighbourId: "0" }, "Merge 0 with 1."],
  ] as const)("%j is refused: %s", (change, message) => {
    expect(() => applyShardChange({ open }, change)).toThrow(message);
  });

  it("is refused for a shard of one hash key, and above the most shards", () => {
    const tiny = [{ id: "0", startHash: 5n, endHash: 5n }];
    const split = { kind: "split", shardId: "0" } as const;
    expect(() => applyShardChange({ open: tiny }, split)).toThrow("It cannot be split");
    expect(() => applyShardChange({ open: evenShards(MAX_SHARDS) }, split)).toThrow("The most is 500.");
  });

  it("any sequence of changes covers each hash key once, and numbers only rise", () => {
    const step = fc.record({ isSplit: fc.boolean(), at: fc.nat(), side: fc.nat() });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 30 }), (count, steps) => {
        let shards: readonly Shard[] = evenShards(count);
        for (const { isSplit, at, side } of steps) {
          const { id } = shards[at % shards.length]!;
          const neighbours = neighboursOf(shards, id);
          const neighbourId = neighbours[side % Math.max(1, neighbours.length)];
          if (!isSplit && neighbourId === undefined) continue;
          const change: ShardChange = isSplit
            ? { kind: "split", shardId: id }
            : { kind: "merge", shardId: id, neighbourId: neighbourId! };
          const highest = Math.max(...shards.map(shard => Number(shard.id)));
          const effect = applyShardChange({ open: shards }, change);
          for (const opened of effect.opened) expect(Number(opened.id)).toBeGreaterThan(highest);
          shards = effect.after;
        }
        let next = 0n;
        for (const { startHash, endHash } of shards.toSorted((a, b) =>
          a.startHash < b.startHash ? -1 : 1,
        )) {
          expect(startHash).toBe(next);
          next = endHash + 1n;
        }
        expect(next).toBe(HASH_SPACE);
        expect(shardOfKey(shards, "DOGE")).toBeDefined();
      }),
    );
  });
});

describe("the refusal of a merge", () => {
  const doge = { symbol: "DOGE", factor: 5 };

  it("names the symbol with the largest factor and what to do first", () => {
    expect(mergeRefusal(5, [doge])).toBeNull();
    expect(mergeRefusal(4, [doge])).toBe(
      "4 shards would be open, but DOGE is split by 5. First merge DOGE, or split it by at most 4; then merge the shards.",
    );
    const others = [{ symbol: "BTC", factor: 6 }, doge, { symbol: "ETH", factor: 2 }];
    expect(mergeRefusal(4, others)).toContain("BTC is split by 6 (and 1 more symbol). First merge BTC,");
    expect(mergeRefusal(1, [{ symbol: "ETH", factor: 2 }])).toBe(
      "1 shard would be open, but ETH is split by 2. First merge ETH; then merge the shards.",
    );
  });
});
