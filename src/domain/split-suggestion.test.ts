import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { automaticAnswer } from "./automatic-split";
import { FULL_SHARE } from "./shard-load";
import { AUTOMATIC_MODE, type SplitPlan } from "./split-plan";
import {
  COOL_FOR_EXPIRING_MS,
  COOL_FOR_MS,
  COOL_SHARE,
  evidenceText,
  HOT_SHARE,
  kindOf,
  nextWatch,
  pressureOf,
  SETTLE_MS,
  type SymbolReading,
  type Watch,
} from "./split-suggestion";

const reading = (change: Partial<SymbolReading> = {}): SymbolReading => ({
  ...{ epoch: 0, factor: 1, changedAtMs: null, share: 2, shardShare: 1, throttledPerSecond: 0 },
  ...{ recommended: 3, expires: false, ...change },
});

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

  it("begins anew when one of the seconds was not hot", () => {
    const cooler = reading({ share: 0.8, shardShare: 0.8 });
    expect(kinds([...repeat(reading(), 4), cooler, ...repeat(reading(), 4)])).not.toContain("split");
  });

  it("proposes an unsplit after a calm minute of a symbol that one shard would take", () => {
    const calm = reading({ factor: 3, epoch: 1, changedAtMs: -SETTLE_MS, share: 0.2, recommended: 1 });
    const seconds = COOL_FOR_MS / 1_000;
    expect(kinds(repeat(calm, seconds + 1)).indexOf("unsplit")).toBe(seconds);
    const long = COOL_FOR_EXPIRING_MS / 1_000;
    expect(kinds(repeat({ ...calm, expires: true }, long + 1)).indexOf("unsplit")).toBe(long);
    expect(kinds(repeat({ ...calm, recommended: 2 }, seconds + 5))).not.toContain("unsplit");
    expect(kinds(repeat({ ...calm, factor: 1 }, seconds + 5))).not.toContain("unsplit");
  });

  it("says nothing without figures, without limits, and where no factor helps", () => {
    for (const change of [{ share: null }, { recommended: null }, { recommended: 1 }])
      expect(kinds(repeat(reading(change), 10))).not.toContain("split");
    const hot = watchAll(repeat(reading(), 6)).at(-1)!;
    expect(nextWatch(hot, reading({ share: null }), 7_000)).toBeNull();
  });

  it("blames the symbols that fill a shard, not a small one that happens to be on it", () => {
    expect(pressureOf({ share: 0.1, factor: 1, shardShare: 1 })).toBeCloseTo(0.2);
    expect(pressureOf({ share: 0.5, factor: 1, shardShare: 0.95 })).toBeCloseTo(0.95);
    expect(pressureOf({ share: 3, factor: 2, shardShare: 1 })).toBeCloseTo(1.5);
  });

  it("forgets what it saw when the plan is another one, and lets figures settle after it", () => {
    const hot = watchAll(repeat(reading(), 6)).at(-1)!;
    expect(nextWatch(hot, reading({ epoch: 1, factor: 2, changedAtMs: 6_000 }), 7_000)).toBeNull();
    const later = 6_000 + SETTLE_MS;
    const again = nextWatch(hot, reading({ epoch: 1, factor: 2, changedAtMs: 6_000 }), later);
    expect(again).toMatchObject({ phase: "heating", epoch: 1, sinceMs: later });
  });

  it("says its evidence in words", () => {
    const evidence = { kind: "split" as const, share: 1.416, throttledPerSecond: 34.2, sinceMs: 0 };
    expect(evidenceText(evidence, 12_000)).toBe(
      "142 % of one shard's limit, hot for 12 s, 35 records/s refused",
    );
    expect(evidenceText({ ...evidence, kind: "unsplit", share: 0.1 }, 180_000)).toBe(
      "10 % of one shard's limit, calm for 3 min",
    );
  });

  it("does not flap: inside of the band no proposal comes and none goes", () => {
    const hotBand = fc.double({ min: FULL_SHARE, max: HOT_SHARE, noNaN: true, maxExcluded: true });
    const coolBand = fc.double({ min: COOL_SHARE, max: FULL_SHARE, noNaN: true });
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
          const readings = seconds.map(([hot, cool, factor]) => {
            const share = isSplit ? cool : hot;
            return { ...base, share, shardShare: share, recommended: factor };
          });
          const start: Watch = {
            ...{ phase: isSplit ? "cool" : "hot", epoch: base.epoch, factor: base.factor },
            ...{ sinceMs: -COOL_FOR_MS, proposed: isSplit ? 1 : 2 },
          };
          const standing = isSplit ? "unsplit" : "split";
          expect(new Set(watchAll(readings, start).map(kindOf))).toEqual(new Set([standing]));
          expect(new Set(watchAll(readings).map(kindOf))).toEqual(new Set([null]));
        },
      ),
    );
  });
});

describe("automatic mode, whatever the load does", () => {
  const bounds = { maxFactor: 4, minHotSeconds: 8, maxChangesPerHour: 5 };
  type Acted = { atMs: number; factor: number; own: number; hotForMs: number };

  /** Lives through seconds of load, and does at once what automatic mode says. */
  function live(shares: readonly number[], shards: number): Acted[] {
    const acts: Acted[] = [];
    let plan: SplitPlan | undefined;
    let watch: Watch | null = null;
    let hotSinceMs: number | null = null;
    shares.forEach((share, second) => {
      const nowMs = second * 1_000;
      const factor: number = plan?.factor ?? 1;
      const own = share / factor;
      if (own >= HOT_SHARE) hotSinceMs ??= nowMs;
      if (own < FULL_SHARE) hotSinceMs = null;
      const now = reading({
        ...{ epoch: plan?.epoch ?? 0, factor, changedAtMs: plan?.setAt.getTime() ?? null },
        ...{ share, shardShare: Math.min(1, own), throttledPerSecond: Math.max(0, own - 1) * 100 },
        recommended: Math.min(shards, Math.max(1, Math.ceil(share / FULL_SHARE))),
      });
      watch = nextWatch(watch, now, nowMs);
      const changesLastHour = acts.filter(({ atMs }) => nowMs - atMs < 3_600_000).length;
      const answer = automaticAnswer({ watch, reading: now, plan, bounds, shards, changesLastHour, nowMs });
      if (!answer || "held" in answer) return;
      acts.push({
        atMs: nowMs,
        factor: answer.factor,
        own,
        hotForMs: hotSinceMs === null ? 0 : nowMs - hotSinceMs,
      });
      plan = {
        ...{ symbol: "DOGE", epoch: (plan?.epoch ?? 0) + 1, factor: answer.factor, strategy: "random" },
        ...{
          placement: "planned",
          reason: "",
          setBy: AUTOMATIC_MODE,
          setAt: new Date(nowMs),
          expiresAt: null,
        },
      };
    });
    return acts;
  }

  it("keeps its bounds, and never acts twice within the time that figures take to settle", () => {
    // Loads that last: single seconds of noise would never be hot for long enough.
    const tenths = fc.integer({ min: 0, max: 60 }).map(value => value / 10);
    const phases = fc.array(fc.tuple(tenths, fc.integer({ min: 1, max: 120 })), {
      minLength: 5,
      maxLength: 60,
    });
    let acted = 0;
    fc.assert(
      fc.property(phases, fc.integer({ min: 1, max: 8 }), (runs, shards) => {
        const acts = live(
          runs.flatMap(([share, seconds]) => Array.from({ length: seconds }, () => share)),
          shards,
        );
        acted += acts.length;
        acts.forEach(({ atMs, factor, own, hotForMs }, n) => {
          expect(factor).toBeLessThanOrEqual(Math.min(bounds.maxFactor, shards));
          if (factor > 1) {
            expect(own).toBeGreaterThanOrEqual(HOT_SHARE);
            expect(hotForMs).toBeGreaterThanOrEqual(bounds.minHotSeconds * 1_000);
          }
          if (n > 0) expect(atMs - acts[n - 1]!.atMs).toBeGreaterThanOrEqual(SETTLE_MS);
          const inAnHour = acts.filter(other => other.atMs <= atMs && atMs - other.atMs < 3_600_000);
          expect(inAnHour.length).toBeLessThanOrEqual(bounds.maxChangesPerHour);
        });
      }),
      { numRuns: 200 },
    );
    expect(acted).toBeGreaterThan(100);
  });

  it("splits what is hot, and cools it down when it is calm", () => {
    const shares = [...Array(30).fill(2), ...Array(120).fill(0.1)];
    expect(live(shares, 5).map(({ factor }) => factor)).toEqual([3, 1]);
  });
});

describe("automatic mode", () => {
  const hot: Watch = { phase: "hot", epoch: 0, factor: 1, sinceMs: 0, proposed: 3 };
  const question = {
    ...{ watch: hot, reading: reading(), plan: undefined, shards: 5, changesLastHour: 0, nowMs: 60_000 },
    bounds: { maxFactor: 5, minHotSeconds: 10, maxChangesPerHour: 2 },
  };
  const mine: SplitPlan = {
    ...{ symbol: "DOGE", epoch: 1, factor: 2, strategy: "random", placement: "planned", reason: "a tweet" },
    ...{ setBy: "mia", setAt: new Date(0), expiresAt: null },
  };
  const split = { watch: { ...hot, factor: 2 }, reading: reading({ factor: 2 }) };

  it.each([
    ["too early", { nowMs: 4_000 }, "it has to be hot for 6 s more"],
    ["often enough", { changesLastHour: 2 }, "2 of 2 changes in the last hour are used up"],
    ["what a trader has split", { ...split, plan: mine }, "a trader has split it, and decides about it"],
    ["less hot", { reading: reading({ share: 0.8, shardShare: 0.8 }) }, "it is less hot this second"],
    [
      "at its bound",
      { ...split, plan: { ...mine, setBy: AUTOMATIC_MODE }, bounds: { ...question.bounds, maxFactor: 2 } },
      "its bound is a split by 2",
    ],
  ])("holds back: %s", (_, change, held) => {
    expect(automaticAnswer({ ...question, ...change })).toEqual({ held });
  });

  it("has nothing to do about what is not proposed", () => {
    expect(automaticAnswer({ ...question, watch: { ...hot, phase: "heating" } })).toBeNull();
    expect(automaticAnswer({ ...question, watch: null })).toBeNull();
  });
});
