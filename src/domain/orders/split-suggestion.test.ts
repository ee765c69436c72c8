import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aReading as reading } from "../../testing/a-reading";
import { FULL_UTILIZATION } from "./shard-load";
import {
  evidenceText,
  HOT_UTILIZATION,
  kindOf,
  MERGE_UTILIZATION,
  MERGEABLE_FOR_EXPIRING_MS,
  MERGEABLE_FOR_MS,
  nextWatch,
  pressureOf,
  SETTLE_MS,
  type SymbolReading,
  type Watch,
} from "./split-suggestion";

/** A second apart each; the watch after every one of them. */
function watchAll(readings: readonly SymbolReading[], before: Watch | null = null): (Watch | null)[] {
  let watch = before;
  return readings.map((one, second) => {
    watch = nextWatch(watch, one, second * 1_000);
    return watch;
  });
}
const repeat = (one: SymbolReading, seconds: number) => Array.from({ length: seconds }, () => one);
const kinds = (readings: readonly SymbolReading[]) => watchAll(readings).map(kindOf);

describe("suggestions", () => {
  it("proposes a split after four hot seconds, with the factor that is recommended by then", () => {
    const [first, ...rest] = watchAll([...repeat(reading(), 4), reading({ recommended: 4 })]);
    expect(first).toMatchObject({ phase: "heating", sinceMs: 0 });
    expect(rest.map(kindOf)).toEqual([null, null, null, "split"]);
    expect(rest.at(-1)).toMatchObject({ proposed: 4, sinceMs: 0 });
  });

  it("starts again when one of the seconds was not hot", () => {
    const cooler = reading({ utilization: 0.8, shardUtilization: 0.8 });
    expect(kinds([...repeat(reading(), 4), cooler, ...repeat(reading(), 4)])).not.toContain("split");
  });

  it("proposes a merge after a calm minute of a symbol that one shard would take", () => {
    const calm = reading({ factor: 3, epoch: 1, changedAtMs: -SETTLE_MS, utilization: 0.2, recommended: 1 });
    const seconds = MERGEABLE_FOR_MS / 1_000;
    expect(kinds(repeat(calm, seconds + 1)).indexOf("merge")).toBe(seconds);
    const long = MERGEABLE_FOR_EXPIRING_MS / 1_000;
    expect(kinds(repeat({ ...calm, expires: true }, long + 1)).indexOf("merge")).toBe(long);
    expect(kinds(repeat({ ...calm, recommended: 2 }, seconds + 5))).not.toContain("merge");
    expect(kinds(repeat({ ...calm, factor: 1 }, seconds + 5))).not.toContain("merge");
  });

  it("proposes nothing without figures, without limits, or when no factor helps", () => {
    for (const change of [{ utilization: null }, { recommended: null }, { recommended: 1 }])
      expect(kinds(repeat(reading(change), 10))).not.toContain("split");
    const hot = watchAll(repeat(reading(), 6)).at(-1)!;
    expect(nextWatch(hot, reading({ utilization: null }), 7_000)).toBeNull();
  });

  it("proposes the symbols that fill a shard, not a small one on the same shard", () => {
    expect(pressureOf({ utilization: 0.1, factor: 1, shardUtilization: 1 })).toBeCloseTo(0.2);
    expect(pressureOf({ utilization: 0.5, factor: 1, shardUtilization: 0.95 })).toBeCloseTo(0.95);
    expect(pressureOf({ utilization: 3, factor: 2, shardUtilization: 1 })).toBeCloseTo(1.5);
  });

  it("starts again when the plan changes, after the figures have settled", () => {
    const hot = watchAll(repeat(reading(), 6)).at(-1)!;
    expect(nextWatch(hot, reading({ epoch: 1, factor: 2, changedAtMs: 6_000 }), 7_000)).toBeNull();
    const later = 6_000 + SETTLE_MS;
    const again = nextWatch(hot, reading({ epoch: 1, factor: 2, changedAtMs: 6_000 }), later);
    expect(again).toMatchObject({ phase: "heating", epoch: 1, sinceMs: later });
  });

  it("describes its evidence in words", () => {
    const evidence = { kind: "split" as const, utilization: 1.416, throttledPerSecond: 34.2, sinceMs: 0 };
    expect(evidenceText(evidence, 12_000)).toBe(
      "142 % of one shard's limit, hot for 12 s, 35 records/s refused",
    );
    expect(evidenceText({ ...evidence, kind: "merge", utilization: 0.1 }, 180_000)).toBe(
      "10 % of one shard's limit, calm for 3 min",
    );
  });

  it("does not flap: inside the band no proposal begins or ends", () => {
    const hotBand = fc.double({
      min: FULL_UTILIZATION,
      max: HOT_UTILIZATION,
      noNaN: true,
      maxExcluded: true,
    });
    const coolBand = fc.double({ min: MERGE_UTILIZATION, max: FULL_UTILIZATION, noNaN: true });
    const recommended = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(fc.tuple(hotBand, coolBand, recommended), { minLength: 1, maxLength: 200 }),
        (isSplit, seconds) => {
          const base = isSplit
            ? reading({ factor: 2, epoch: 1, changedAtMs: -SETTLE_MS })
            : reading({ epoch: 0 });
          // A symbol that is split is calm enough for one shard, and one that is not is nearly too hot.
          const readings = seconds.map(([high, low, factor]) => {
            const utilization = isSplit ? low : high;
            return { ...base, utilization, shardUtilization: utilization, recommended: factor };
          });
          const start: Watch = {
            phase: isSplit ? "mergeable" : "hot",
            epoch: base.epoch,
            factor: base.factor,
            sinceMs: -MERGEABLE_FOR_MS,
            proposed: isSplit ? 1 : 2,
          };
          const current = isSplit ? "merge" : "split";
          expect(new Set(watchAll(readings, start).map(kindOf))).toEqual(new Set([current]));
          expect(new Set(watchAll(readings).map(kindOf))).toEqual(new Set([null]));
        },
      ),
    );
  });
});
