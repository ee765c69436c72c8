import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evenShards, type Shard, shardOfKey } from "./hash-range";
import { applyShardChange, type ShardChange } from "./shard-change";
import { type PlacedSymbol, previewShardChange, type ShardPreviewInput } from "./shard-preview";

const open = evenShards(4);
const limits = { recordsPerSecond: 1_000, bytesPerSecond: 1_000_000 };
const flowOf = (recordsPerSecond: number) => ({ recordsPerSecond, bytesPerSecond: recordsPerSecond * 100 });
const place = (keys: readonly string[], shards: readonly Shard[]) =>
  keys.map(partitionKey => ({ partitionKey, shardId: shardOfKey(shards, partitionKey).id }));

/** The loads of the shards are those of their symbols; `others`: beside them, on every shard. */
function inputOf(
  change: ShardChange,
  symbols: { symbol: string; keys?: string[]; records: number }[],
  others = 0,
): ShardPreviewInput {
  const effect = applyShardChange({ open }, change);
  const shardFlows = new Map(open.map(({ id }) => [id, flowOf(others)]));
  const placed = symbols.map(({ symbol, keys = [symbol], records }): PlacedSymbol => {
    const now = place(keys, open);
    for (const { shardId } of now) {
      const flow = shardFlows.get(shardId)!;
      flow.recordsPerSecond += records / keys.length;
      flow.bytesPerSecond += (records * 100) / keys.length;
    }
    return { symbol, flow: flowOf(records), now, later: place(keys, effect.after) };
  });
  return { open, effect, shardFlows, symbols: placed, limits };
}

const home = shardOfKey(open, "DOGE").id;
const splitHome = { kind: "split", shardId: home } as const;

describe("the preview of a change of the shards", () => {
  it("of a split says where the load of each symbol goes", () => {
    const { shards, fullest, warnings } = previewShardChange(
      inputOf(splitHome, [{ symbol: "DOGE", records: 600 }], 100),
    );
    expect(shards.find(({ shardId }) => shardId === home)).toMatchObject({ state: "closed", after: null });
    const halves = shards.filter(({ state }) => state === "opened");
    expect(halves.map(({ after }) => after!.toFixed(2)).sort()).toEqual(["0.05", "0.65"]);
    expect(halves.map(({ share, before }) => [share, before])).toEqual([
      [0.125, null],
      [0.125, null],
    ]);
    expect(fullest).toMatchObject({ bound: "records" });
    // One sub-key has nearly all of it.
    expect(warnings).toEqual(["load stays together"]);
    for (const { before, after } of shards.filter(({ state }) => state === "kept"))
      expect(after).toBe(before);
  });

  it("of a merge adds the loads, and says when they do not fit", () => {
    const merge = { kind: "merge", shardId: "0", neighbourId: "1" } as const;
    expect(previewShardChange(inputOf(merge, [], 300))).toMatchObject({
      fullest: { shardId: "4", utilization: 0.6 },
      warnings: [],
    });
    expect(previewShardChange(inputOf(merge, [], 400)).warnings).toEqual(["no room"]);
    expect(previewShardChange(inputOf(merge, [], 600)).warnings).toEqual(["does not fit"]);
  });

  it("names the shard of each sub-key of split symbols, and the symbols that lose a shard", () => {
    const keys = Array.from({ length: 40 }, (_, n) => `DOGE-${n + 1}`);
    expect(new Set(place(keys, open).map(({ shardId }) => shardId)).size).toBe(4);
    const merge = { kind: "merge", shardId: "0", neighbourId: "1" } as const;
    const preview = previewShardChange(inputOf(merge, [{ symbol: "DOGE", keys, records: 100 }]));
    expect(preview.splits).toMatchObject([{ symbol: "DOGE" }]);
    expect(preview.splits[0]!.subKeys.map(({ partitionKey }) => partitionKey)).toEqual(keys);
    const onNew = preview.splits[0]!.subKeys.filter(({ shardId }) => shardId === "4").length;
    expect(preview.shards.find(({ shardId }) => shardId === "4")!.partitionKeys).toHaveLength(onNew);
    expect(preview.warnings).toContain("fewer shards");
  });

  it("knows no loads without figures of the changed shards", () => {
    const input = inputOf(splitHome, [{ symbol: "DOGE", records: 600 }]);
    const preview = previewShardChange({ ...input, shardFlows: new Map() });
    expect(preview.warnings).toEqual(["no data"]);
    expect(preview.fullest).toBeNull();
    for (const { before, after } of preview.shards) expect([before, after]).toEqual([null, null]);
  });

  it("neither makes nor loses load", () => {
    const symbols = fc.array(fc.record({ name: fc.nat({ max: 999 }), records: fc.nat({ max: 500 }) }), {
      maxLength: 20,
    });
    const changes: ShardChange[] = [
      { kind: "split", shardId: "2" },
      { kind: "merge", shardId: "1", neighbourId: "2" },
    ];
    fc.assert(
      fc.property(symbols, fc.constantFrom(...changes), fc.nat({ max: 50 }), (list, change, others) => {
        const named = list.map(({ name, records }) => ({ symbol: `S${name}`, records }));
        const { shards } = previewShardChange(inputOf(change, named, others));
        const sum = (of: "before" | "after") => shards.reduce((total, shard) => total + (shard[of] ?? 0), 0);
        expect(sum("after")).toBeCloseTo(sum("before"), 6);
      }),
    );
  });
});
