import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evenShards, HASH_SPACE, hashKeyOf, shardOfKey } from "./hash-range";
import { accountSlot, PARTITIONS, partitionOf } from "./order-partition";
import { placePlain, placePlanned } from "./split-placement";

const mapOf = (count: number) => ({ version: 1, open: evenShards(count) });
const symbol = fc.stringMatching(/^[A-Z][A-Z0-9]{0,11}$/);

describe("hash ranges", () => {
  it("hash as Kinesis does: MD5 as a number", () => {
    expect(hashKeyOf("")).toBe(BigInt("0xd41d8cd98f00b204e9800998ecf8427e"));
  });

  it("cover every hash key once, however many shards there are", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), count => {
        const shards = evenShards(count);
        expect(shards[0]!.startHash).toBe(0n);
        expect(shards.at(-1)!.endHash).toBe(HASH_SPACE - 1n);
        for (let i = 1; i < count; i += 1) expect(shards[i]!.startHash).toBe(shards[i - 1]!.endHash + 1n);
      }),
    );
  });
});

describe("placement", () => {
  it("DOGE-1 to DOGE-5 over five shards land on 0,4,4,4,4", () => {
    expect(placePlain("DOGE", 5, mapOf(5)).map(({ shardId }) => shardId)).toEqual(["0", "4", "4", "4", "4"]);
  });

  it("planned suffixes land on min(N, S) distinct shards, each where the key's hash says", () => {
    fc.assert(
      fc.property(
        symbol,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        (name, factor, count) => {
          const map = mapOf(count);
          const placed = placePlanned(name, factor, map);
          expect(new Set(placed.map(({ shardId }) => shardId)).size).toBe(Math.min(factor, count));
          for (const { partitionKey, shardId } of placed) {
            expect(shardOfKey(map.open, partitionKey).id).toBe(shardId);
            expect(partitionKey.startsWith(name)).toBe(true);
          }
        },
      ),
    );
  });

  it("takes the least loaded shards", () => {
    const loads = new Map([
      ["0", 0.9],
      ["1", 0.1],
      ["2", 0.5],
      ["3", 0.2],
    ]);
    const shards = placePlanned("DOGE", 2, mapOf(4), loads).map(({ shardId }) => shardId);
    expect(shards.sort()).toEqual(["1", "3"]);
  });

  it("finds all of 500 shards", () => {
    expect(placePlanned("DOGE", 500, mapOf(500))).toHaveLength(500);
  });

  it("partitions and account slots are stable and in range", () => {
    fc.assert(
      fc.property(symbol, fc.integer({ min: 1, max: 20 }), (name, factor) => {
        expect(partitionOf(name)).toBe(partitionOf(name));
        expect(partitionOf(name)).toBeLessThan(PARTITIONS);
        expect(accountSlot(name, factor)).toBeLessThan(factor);
      }),
    );
  });
});
