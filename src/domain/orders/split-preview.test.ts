import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evenShards } from "./hash-range";
import { FULL_UTILIZATION } from "./shard-load";
import { placePlanned } from "./split-placement";
import { mergedUtilization, type PreviewInput, previewSplit, recommendFactor } from "./split-preview";
import { kindOf, MERGEABLE_FOR_MS, nextWatch, type Watch } from "./split-suggestion";
import { stateOf } from "./symbol-heat";

const limits = { recordsPerSecond: 1_000, bytesPerSecond: 1_048_576 };

/** A symbol alone on `count` shards, a record per order. */
function alone(count: number, orders: number, offered = orders): PreviewInput {
  const map = { version: 1, open: evenShards(count) };
  const subKeysNow = placePlanned("DOGE", 1, map);
  const flow = {
    recordsPerSecond: orders,
    bytesPerSecond: orders * 100,
    ordersPerSecond: orders,
    offeredPerSecond: offered,
  };
  const shardFlows = new Map(
    map.open.map(({ id }) => [
      id,
      id === subKeysNow[0]!.shardId ? flow : { recordsPerSecond: 0, bytesPerSecond: 0 },
    ]),
  );
  return { symbol: "DOGE", flow, shardFlows, subKeysNow, map, limits };
}

describe("a preview of a split", () => {
  it("spreads the offered load, not only the accepted one, and recommends the smallest factor with room", () => {
    // One shard lets 1,000 of 2,600 orders/s through: four shards take 650 each.
    const input = alone(8, 1_000, 2_600);
    expect(recommendFactor(input)).toBe(4);
    const { fullest, shards, distinctShards, warnings } = previewSplit(input, {
      factor: 4,
      placement: "planned",
    });
    expect(distinctShards).toBe(4);
    expect(fullest).toMatchObject({ utilization: 0.65, bound: "records" });
    expect(shards.filter(({ after }) => after! > 0).map(({ after }) => after)).toEqual([
      0.65, 0.65, 0.65, 0.65,
    ]);
    expect(warnings).toEqual([]);
    expect(mergedUtilization(input)).toBe(1);
  });

  it("warns of the article's suffixes, of more sub-keys than shards, and of a symbol that fits on no shard", () => {
    const input = alone(5, 1_000, 9_000);
    const plain = previewSplit(input, { factor: 5, placement: "plain" });
    expect(plain.distinctShards).toBe(2);
    expect(plain.warnings).toContain("shared shards");
    const wide = previewSplit(input, { factor: 9, placement: "planned" });
    expect(wide.warnings).toContain("more than shards");
    expect(wide.recommended).toBe(1);
    const many = previewSplit(
      { ...input, flow: { ...input.flow!, bytesPerSecond: 1e6 } },
      {
        factor: 5,
        placement: "planned",
      },
    );
    expect(many).toMatchObject({ recommended: 5, fullest: { bound: "bytes" } });
    expect(many.warnings).toContain("does not fit");
  });

  it("keeps away from a shard that refuses records, as long as there are others", () => {
    const input = alone(5, 1_000, 2_600);
    const home = input.subKeysNow[0]!.shardId;
    const throttled = new Map(
      [...input.shardFlows].map(([id, flow]) => [id, { ...flow, throttledPerSecond: id === home ? 90 : 0 }]),
    );
    const { subKeys } = previewSplit(
      { ...input, shardFlows: throttled },
      { factor: 4, placement: "planned" },
    );
    expect(subKeys.map(({ shardId }) => shardId)).not.toContain(home);
  });

  it("counts a fully throttled symbol as hot, not as idle", () => {
    const input = alone(5, 0, 40_000);
    expect(mergedUtilization(input)).toBeGreaterThan(2);
    expect(recommendFactor(input)).toBeGreaterThan(2);
  });

  it("reports no data instead of zero", () => {
    const preview = previewSplit({ ...alone(5, 100), flow: null }, { factor: 3, placement: "planned" });
    expect(preview).toMatchObject({
      recommended: null,
      fullest: null,
      warnings: ["no data"],
      distinctShards: 3,
    });
    expect(preview.shards.every(({ before, after }) => before === null && after === null)).toBe(true);
    expect(stateOf(null, 3)).toBe("unknown");
  });

  it("keeps all bytes, and recommends a factor with room if any factor has room", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 20_000 }), (count, offered) => {
        const input = alone(count, Math.min(offered, 1_000), offered);
        const factor = recommendFactor(input)!;
        const { shards, fullest } = previewSplit(input, { factor, placement: "planned" });
        expect(factor).toBeLessThanOrEqual(count);
        expect(shards.filter(({ partitionKeys }) => partitionKeys.length > 0)).toHaveLength(factor);
        if (fullest!.utilization > FULL_UTILIZATION)
          for (let other = 1; other <= count; other += 1)
            expect(
              previewSplit(input, { factor: other, placement: "planned" }).fullest!.utilization,
            ).toBeGreaterThan(FULL_UTILIZATION);
      }),
    );
  });
});

/**
 * A symbol that is split, as producers send it: each packs what comes within a call into a record per sub-key,
 * and makes at most so many calls a second.
 */
function split(
  by: number,
  { producers, orders, calls = 250 }: { producers: number; orders: number; calls?: number },
) {
  const map = { version: 1, open: evenShards(8) };
  const subKeysNow = placePlanned("DOGE", by, map);
  const recordsPerSecond = by * recordsOf(orders / by, producers * calls);
  const flow = {
    recordsPerSecond,
    bytesPerSecond: orders * 100,
    ordersPerSecond: orders,
    offeredPerSecond: orders,
  };
  const part = { recordsPerSecond: recordsPerSecond / by, bytesPerSecond: flow.bytesPerSecond / by };
  const carries = new Set(subKeysNow.map(({ shardId }) => shardId));
  const shardFlows = new Map(
    map.open.map(({ id }) => [id, carries.has(id) ? part : { recordsPerSecond: 0, bytesPerSecond: 0 }]),
  );
  return { symbol: "DOGE", flow, shardFlows, subKeysNow, map, limits };
}

/** Orders that fall into calls at random make so many records. */
const recordsOf = (orders: number, calls: number) => calls * (1 - Math.exp(-orders / calls));

/** What is proposed for a symbol that is split by four, when its load has been the same for long. */
function proposedFor(input: PreviewInput) {
  const reading = {
    epoch: 1,
    factor: 4,
    changedAtMs: -1e9,
    expires: false,
    utilization: mergedUtilization(input),
    shardUtilization: null,
    throttledPerSecond: 0,
    recommended: recommendFactor(input),
  };
  let watch: Watch | null = null;
  for (let atMs = 0; atMs <= 2 * MERGEABLE_FOR_MS; atMs += 1_000) watch = nextWatch(watch, reading, atMs);
  return kindOf(watch);
}

describe("the load after merging sub-keys", () => {
  it("is not one sub-key's records when many producers hardly pack: no merge is proposed", () => {
    const input = split(4, { producers: 8, orders: 2_000 });
    expect(input.flow.recordsPerSecond / 4).toBeLessThan(450);
    expect(mergedUtilization(input)).toBeGreaterThan(1.5);
    expect(stateOf(mergedUtilization(input), 4)).toBe("hot");
    expect(previewSplit(input, { factor: 1, placement: "planned" }).warnings).toContain("does not fit");
    expect(recommendFactor(input)).toBeGreaterThan(1);
    expect(proposedFor(input)).toBeNull();
  });

  it("is as many records as there are orders when these are few: a merge is proposed, also of one server", () => {
    for (const producers of [1, 8]) {
      const input = split(4, { producers, orders: 400 });
      expect(mergedUtilization(input)).toBeLessThanOrEqual(0.4);
      expect(stateOf(mergedUtilization(input), 4)).toBe("mergeable");
      expect(proposedFor(input)).toBe("merge");
    }
    // One server packs a flood well. That it would is not known before it is tried: the split stays meanwhile.
    expect(proposedFor(split(4, { producers: 1, orders: 4_000 }))).toBeNull();
  });

  it("is never below the real load, for any change of factor and any number of producers", () => {
    const factor = fc.integer({ min: 1, max: 8 });
    const traffic = fc.record({
      producers: fc.integer({ min: 1, max: 50 }),
      orders: fc.integer({ min: 1, max: 20_000 }),
    });
    fc.assert(
      fc.property(factor, factor, traffic, (now, next, { producers, orders }) => {
        const noBytes = { ...limits, bytesPerSecond: 0 };
        const { fullest } = previewSplit(
          { ...split(now, { producers, orders }), limits: noBytes },
          { factor: next, placement: "planned" },
        );
        const comes = split(next, { producers, orders }).flow.recordsPerSecond / next;
        expect(fullest!.utilization * limits.recordsPerSecond).toBeGreaterThanOrEqual(comes - 1e-6);
      }),
    );
  });
});
