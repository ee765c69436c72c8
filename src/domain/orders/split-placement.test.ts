import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evenShards, HASH_SPACE, hashKeyOf, type Shard, type ShardMap, shardOfKey } from "./hash-range";
import { accountSlot, PARTITIONS, partitionOf } from "./order-partition";
import { placeChosen, placePlain, placePlanned } from "./split-placement";

const mapOf = (count: number) => ({ version: 1, open: evenShards(count) });
const symbol = fc.stringMatching(/^[A-Z][A-Z0-9]{0,11}$/);
const factors = fc.integer({ min: 2, max: 6 });

/** Splits a shard, or merges it with the one behind it, where there is one. */
function reshard({ version, open }: ShardMap, seed: number): ShardMap {
  const sorted = [...open].sort((a, b) => (a.startHash < b.startHash ? -1 : 1));
  const at = (seed >> 1) % sorted.length;
  const [shard, next] = [sorted[at]!, sorted[at + 1]];
  const middle = (shard.startHash + shard.endHash) / 2n;
  const added: Shard[] =
    seed % 2 === 0 && next
      ? [{ id: `${version}m`, startHash: shard.startHash, endHash: next.endHash }]
      : [
          { id: `${version}a`, startHash: shard.startHash, endHash: middle },
          { id: `${version}b`, startHash: middle + 1n, endHash: shard.endHash },
        ];
  const gone = added.length === 1 ? [shard, next] : [shard];
  return { version: version + 1, open: [...sorted.filter(one => !gone.includes(one)), ...added] };
}

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

  it("planned suffixes land on min(N, S) distinct shards, each by its key's hash", () => {
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

  it("that was chosen is stable until a reshard, and then moves as few sub-keys as possible", () => {
    fc.assert(
      fc.property(symbol, factors, fc.array(fc.nat(), { maxLength: 6 }), (name, factor, reshards) => {
        const first = mapOf(6);
        const loads = new Map(first.open.map(({ id }, n) => [id, (n * 7) % 5]));
        const placed = placePlanned(name, factor, first, loads);
        const chosen = placed.map(({ partitionKey }) => partitionKey);
        expect(placeChosen(name, chosen, first)).toEqual(placed);

        const map = reshards.reduce(reshard, first);
        const now = placeChosen(name, chosen, map);
        const shards = now.map(({ shardId }) => shardId);
        expect(new Set(shards).size).toBe(shards.length);
        expect(shards.length).toBe(Math.min(chosen.length, map.open.length));
        for (const { partitionKey, shardId } of now)
          expect(shardOfKey(map.open, partitionKey).id).toBe(shardId);
        // A key stays unless an earlier one has come to its shard.
        const shardIds = chosen.map(key => shardOfKey(map.open, key).id);
        const alone = chosen.filter((_, n) => shardIds.indexOf(shardIds[n]!) === n);
        expect(now.map(({ partitionKey }) => partitionKey)).toEqual(expect.arrayContaining(alone));
      }),
    );
  });

  it("does not go to one shard with all symbols when the shards of many were merged", () => {
    const map = mapOf(8);
    const loads = new Map(map.open.map(({ id }) => [id, id === "0" || id === "1" ? 0 : 1]));
    const merged = reshard(map, 0);
    const went = Array.from({ length: 40 }, (_, n) => {
      const chosen = placePlanned(`S${n}`, 2, map, loads).map(({ partitionKey }) => partitionKey);
      const [stayed, other] = placeChosen(`S${n}`, chosen, merged);
      expect(stayed).toEqual({ partitionKey: chosen[0], shardId: "1m" });
      return other!.shardId;
    });
    expect(new Set(went).size).toBe(6);
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
