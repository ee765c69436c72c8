import { describe, expect, it } from "vitest";
import type { ShardSeries } from "../contract";
import { busiestShards, toShardLines, utilizationsOf } from "./shard-lines";

const limits = { recordsPerSecond: 100, bytesPerSecond: 1_000 };
const series = (shards: ShardSeries["shards"]): ShardSeries => ({
  stepMs: 1_000,
  at: [0, 1_000],
  limits,
  shards,
});
const shard = (shardId: string, records: (number | null)[]) => ({
  shardId,
  records,
  bytes: records.map(value => value && 0),
  throttled: records.map(value => value && 0),
});

describe("lines of shards", () => {
  it("takes the limit that is met first, and keeps unknown values unknown", () => {
    const one = { ...shard("0", [50, null]), bytes: [900, null] };
    expect(utilizationsOf(series([one]))[0]!.utilizations).toEqual([0.9, null]);
    expect(
      utilizationsOf({ ...series([one]), limits: { recordsPerSecond: 0, bytesPerSecond: 0 } })[0]!
        .utilizations,
    ).toEqual([null, null]);
  });

  it("has a line per busiest shard, and one for the highest of the others", () => {
    const shards = Array.from({ length: 9 }, (_, i) => shard(String(i), [i * 10, null]));
    const utilizations = utilizationsOf(series(shards));
    const named = busiestShards(utilizations);
    expect(named).toEqual(["8", "7", "6", "5", "4"]);
    const lines = utilizations.map(one => ({ shardId: one.shardId, values: one.utilizations }));
    const { values } = toShardLines(series(shards), lines, named);
    expect(values.others).toEqual([0.3, null]);
    expect(values.fullest).toEqual([0.8, null]);
    expect(values["8"]).toEqual([0.8, null]);
  });
});
