import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aReading as reading } from "../../testing/a-reading";
import { automaticAnswer } from "./automatic-split";
import { FULL_UTILIZATION } from "./shard-load";
import { AUTOMATIC_MODE, type SplitPlan } from "./split-plan";
import { HOT_UTILIZATION, nextWatch, SETTLE_MS, type Watch } from "./split-suggestion";

describe("automatic mode, whatever the load does", () => {
  const bounds = { maxFactor: 4, minHotSeconds: 8, maxChangesPerHour: 5 };
  type Acted = { atMs: number; factor: number; own: number; hotForMs: number };

  /** Lives through seconds of load, and does at once what automatic mode says. */
  function live(utilizations: readonly number[], shards: number): Acted[] {
    const acts: Acted[] = [];
    let plan: SplitPlan | undefined;
    let watch: Watch | null = null;
    let hotSinceMs: number | null = null;
    utilizations.forEach((utilization, second) => {
      const nowMs = second * 1_000;
      const factor: number = plan?.factor ?? 1;
      const own = utilization / factor;
      if (own >= HOT_UTILIZATION) hotSinceMs ??= nowMs;
      if (own < FULL_UTILIZATION) hotSinceMs = null;
      const now = reading({
        epoch: plan?.epoch ?? 0,
        factor,
        changedAtMs: plan?.setAt.getTime() ?? null,
        utilization,
        shardUtilization: Math.min(1, own),
        throttledPerSecond: Math.max(0, own - 1) * 100,
        recommended: Math.min(shards, Math.max(1, Math.ceil(utilization / FULL_UTILIZATION))),
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
        symbol: "DOGE",
        epoch: (plan?.epoch ?? 0) + 1,
        factor: answer.factor,
        strategy: "random",
        placement: "planned",
        reason: "",
        setBy: AUTOMATIC_MODE,
        setAt: new Date(nowMs),
        expiresAt: null,
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
          runs.flatMap(([utilization, seconds]) => Array.from({ length: seconds }, () => utilization)),
          shards,
        );
        acted += acts.length;
        acts.forEach(({ atMs, factor, own, hotForMs }, n) => {
          expect(factor).toBeLessThanOrEqual(Math.min(bounds.maxFactor, shards));
          if (factor > 1) {
            expect(own).toBeGreaterThanOrEqual(HOT_UTILIZATION);
            expect(hotForMs).toBeGreaterThanOrEqual(bounds.minHotSeconds * 1_000);
          }
          if (n > 0) expect(atMs - acts[n - 1]!.atMs).toBeGreaterThanOrEqual(SETTLE_MS);
          const inAnHour = acts.filter(other => other.atMs <= atMs && atMs - other.atMs < 3_600_000);
          const kept = factor === 1 ? 1 : 0;
          expect(inAnHour.length).toBeLessThanOrEqual(bounds.maxChangesPerHour - kept);
        });
      }),
      { numRuns: 200 },
    );
    expect(acted).toBeGreaterThan(100);
  });

  it("splits what is hot, and cools it down when it is calm", () => {
    const utilizations = [...Array(30).fill(2), ...Array(120).fill(0.1)];
    expect(live(utilizations, 5).map(({ factor }) => factor)).toEqual([3, 1]);
  });

  it("is split in every burst of an hour: cooling down does not use up the last change", () => {
    const burst = [...Array(60).fill(2), ...Array(540).fill(0.1)];
    const acts = live([...burst, ...burst, ...burst, ...burst, ...burst], 5);
    expect(acts.map(({ factor }) => factor)).toEqual([3, 1, 3, 1, 3]);
    // The third split stays, so that the fourth and fifth burst find it there.
    expect(acts.at(-1)!.atMs).toBeLessThan(1_300_000);
  });
});

describe("automatic mode", () => {
  const hot: Watch = { phase: "hot", epoch: 0, factor: 1, sinceMs: 0, proposed: 3 };
  const question = {
    watch: hot,
    reading: reading(),
    plan: undefined,
    shards: 5,
    changesLastHour: 0,
    nowMs: 60_000,
    bounds: { maxFactor: 5, minHotSeconds: 10, maxChangesPerHour: 2 },
  };
  const mine: SplitPlan = {
    symbol: "DOGE",
    epoch: 1,
    factor: 2,
    strategy: "random",
    placement: "planned",
    reason: "a tweet",
    setBy: "mia",
    setAt: new Date(0),
    expiresAt: null,
  };
  const split = { watch: { ...hot, factor: 2 }, reading: reading({ factor: 2 }) };

  it.each([
    ["too early", { nowMs: 4_000 }, "it has to be hot for 6 s more"],
    ["often enough", { changesLastHour: 2 }, "2 of 2 changes in the last hour are used up"],
    ["what a trader has split", { ...split, plan: mine }, "a trader has split it, and decides about it"],
    [
      "less hot",
      { reading: reading({ utilization: 0.8, shardUtilization: 0.8 }) },
      "it is less hot this second",
    ],
    [
      "at its bound",
      { ...split, plan: { ...mine, setBy: AUTOMATIC_MODE }, bounds: { ...question.bounds, maxFactor: 2 } },
      "its bound is a split by 2",
    ],
  ])("holds back: %s", (_, change, held) => {
    expect(automaticAnswer({ ...question, ...change })).toEqual({ held });
  });

  const cool: Watch = { phase: "cool", epoch: 1, factor: 2, sinceMs: 0, proposed: 1 };
  const calm = {
    watch: cool,
    reading: reading({ epoch: 1, factor: 2, utilization: 0.1, recommended: 1 }),
    plan: { ...mine, setBy: AUTOMATIC_MODE },
  };
  const perHour = (maxChangesPerHour: number) => ({ bounds: { ...question.bounds, maxChangesPerHour } });

  it.each([
    ["the last of 4", 4, 3, { held: "the last of 4 changes an hour is kept for a split" }],
    ["the last but one of 4", 4, 2, { factor: 1 }],
    ["the first of 2", 2, 0, { factor: 1 }],
    ["the last of 2", 2, 1, { held: "the last of 2 changes an hour is kept for a split" }],
    ["none that is left", 4, 4, { held: "4 of 4 changes in the last hour are used up" }],
    [
      "the only one",
      1,
      0,
      { held: "its one change an hour is kept for a split, and a trader cools it down" },
    ],
  ])("cools down with %s", (_, most, changesLastHour, answer) => {
    expect(automaticAnswer({ ...question, ...calm, ...perHour(most), changesLastHour })).toEqual(answer);
  });

  it("splits with the last change of an hour, also with the only one", () => {
    for (const most of [1, 4])
      expect(automaticAnswer({ ...question, ...perHour(most), changesLastHour: most - 1 })).toEqual({
        factor: 3,
      });
  });

  it("has nothing to do about what is not proposed", () => {
    expect(automaticAnswer({ ...question, watch: { ...hot, phase: "heating" } })).toBeNull();
    expect(automaticAnswer({ ...question, watch: null })).toBeNull();
  });
});
