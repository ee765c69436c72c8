import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evenShards } from "../../domain/orders/hash-range";
import { type KinesisShard, readShard, shardIdOf, shardMapOf, shardNameOf } from "./kinesis-shards";

const evenly = (count: number): KinesisShard[] =>
  evenShards(count).map((shard, i) => ({ ...shard, number: i, isOpen: true }));

/** What SplitShard and MergeShards do: `at` picks the shard, and where it is cut. */
function reshard(shards: KinesisShard[], { at, cut, merges }: Change): KinesisShard[] {
  const open = shards.filter(({ isOpen }) => isOpen).sort((a, b) => (a.startHash < b.startHash ? -1 : 1));
  const index = at % open.length;
  const [shard, neighbour] = [open[index]!, open[index + 1]];
  const next = Math.max(...shards.map(({ number }) => number)) + 1;
  const child = (n: number, startHash: bigint, endHash: bigint): KinesisShard => ({
    id: String(next + n),
    number: next + n,
    startHash,
    endHash,
    isOpen: true,
  });
  const middle = shard.startHash + ((shard.endHash - shard.startHash) * BigInt(cut)) / 100n;
  const gone = merges && neighbour ? [shard, neighbour] : [shard];
  const added =
    merges && neighbour
      ? [child(0, shard.startHash, neighbour.endHash)]
      : [child(0, shard.startHash, middle), child(1, middle + 1n, shard.endHash)];
  return [...shards.map(one => (gone.includes(one) ? { ...one, isOpen: false } : one)), ...added];
}

type Change = { at: number; cut: number; merges: boolean };
const changes = fc.array(
  fc.record({ at: fc.nat(99), cut: fc.integer({ min: 10, max: 90 }), merges: fc.boolean() }),
  { minLength: 1, maxLength: 12 },
);

describe("the version of a stream's shard map", () => {
  it("rises with each reshard, stays a whole number, and depends on the open shards alone", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), changes, (count, all) => {
        let shards = evenly(count);
        let version = shardMapOf(shards)!.version;
        for (const change of all) {
          shards = reshard(shards, change);
          const map = shardMapOf(shards)!;
          expect(map.version).toBeGreaterThan(version);
          expect(Number.isSafeInteger(map.version)).toBe(true);
          // Closed shards leave the list with their last record; lists come in any order.
          const left = shards.filter(({ isOpen }) => isOpen).reverse();
          expect(shardMapOf(left)).toEqual(map);
          version = map.version;
        }
      }),
    );
  });

  it("stays whole after a million reshards", () => {
    const shards = evenly(3).map((shard, i) => ({ ...shard, number: 2_000_000 + i }));
    expect(Number.isSafeInteger(shardMapOf(shards)!.version)).toBe(true);
  });

  it("is unknown while the open shards leave a hole or overlap", () => {
    const [low, middle, high] = evenly(3) as [KinesisShard, KinesisShard, KinesisShard];
    expect(shardMapOf([low, high])).toBeNull();
    expect(shardMapOf([low, middle])).toBeNull();
    expect(shardMapOf([middle, high])).toBeNull();
    expect(shardMapOf([low, middle, high, { ...middle, id: "7", number: 7 }])).toBeNull();
    expect(shardMapOf([])).toBeNull();
  });
});

describe("a shard of Kinesis", () => {
  it("is named by its number", () => {
    expect(shardIdOf("shardId-000000000042")).toBe("42");
    expect(shardNameOf("42")).toBe("shardId-000000000042");
    expect(() => shardIdOf("shard-7")).toThrow("unknown form");
  });

  it("is closed when its sequence numbers have an end", () => {
    const raw = {
      ShardId: "shardId-000000000001",
      HashKeyRange: { StartingHashKey: "0", EndingHashKey: "9" },
      SequenceNumberRange: { StartingSequenceNumber: "1" },
    };
    expect(readShard(raw)).toEqual({ id: "1", number: 1, startHash: 0n, endHash: 9n, isOpen: true });
    const closed = { StartingSequenceNumber: "1", EndingSequenceNumber: "5" };
    expect(readShard({ ...raw, SequenceNumberRange: closed }).isOpen).toBe(false);
  });
});
