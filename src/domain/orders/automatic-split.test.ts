import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aReading as reading } from "../../testing/a-reading";
import { decideAutomatically } from "./automatic-split";
import { FULL_UTILIZATION } from "./shard-load";
import { AUTOMATIC_MODE, type SplitPlan } from "./split-plan";
import { HOT_UTILIZATION, nextWatch, SETTLE_MS, type Watch } from "./split-suggestion";

describe("automatic mode under any load", () => {
  const bounds = { maxFactor: 4, minHotSeconds: 8, maxChangesPerHour: 5 };
  type Change = { atMs: number; factor: number; own: number; hotForMs: number };

  /** Runs through seconds of load, and applies each decision at once. */
  function simulate(utilizations: readonly number[], shards: number): Change[] {
    const changes: Change[] = [];
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
      const changesLastHour = changes.filter(({ atMs }) => nowMs - atMs < 3_600_000).length;
      const decision = decideAutomatically({
        watch,
        reading: now,
        plan,
        bounds,
        shards,
        changesLastHour,
        nowMs,
      });
      if (!decision || "waitingFor" in decision) return;
      changes.push({
        atMs: nowMs,
        factor: decision.factor,
        own,
        hotForMs: hotSinceMs === null ? 0 : nowMs - hotSinceMs,
      });
      plan = {
        symbol: "DOGE",
        epoch: (plan?.epoch ?? 0) + 1,
        factor: decision.factor,
        strategy: "random",
        placement: "planned",
        reason: "",
        setBy: AUTOMATIC_MODE,
        setAt: new Date(nowMs),
        expiresAt: null,
      };
    });
    return changes;
  }

  it("stays within its bounds, and never changes a symbol twice within the time that rates take to settle", () => {
    // Loads of several seconds: a single second is never hot for long enough.
    const tenths = fc.integer({ min: 0, max: 60 }).map(value => value / 10);
    const phases = fc.array(fc.tuple(tenths, fc.integer({ min: 1, max: 120 })), {
      minLength: 5,
      maxLength: 60,
    });
    let changed = 0;
    fc.assert(
      fc.property(phases, fc.integer({ min: 1, max: 8 }), (runs, shards) => {
        const changes = simulate(
          runs.flatMap(([utilization, seconds]) => Array.from({ length: seconds }, () => utilization)),
          shards,
        );
        changed += changes.length;
        changes.forEach(({ atMs, factor, own, hotForMs }, n) => {
          expect(factor).toBeLessThanOrEqual(Math.min(bounds.maxFactor, shards));
          if (factor > 1) {
            expect(own).toBeGreaterThanOrEqual(HOT_UTILIZATION);
            expect(hotForMs).toBeGreaterThanOrEqual(bounds.minHotSeconds * 1_000);
          }
          if (n > 0) expect(atMs - changes[n - 1]!.atMs).toBeGreaterThanOrEqual(SETTLE_MS);
          const inAnHour = changes.filter(other => other.atMs <= atMs && atMs - other.atMs < 3_600_000);
          const reserved = factor === 1 ? 1 : 0;
          expect(inAnHour.length).toBeLessThanOrEqual(bounds.maxChangesPerHour - reserved);
        });
      }),
      { numRuns: 200 },
    );
    expect(changed).toBeGreaterThan(100);
  });

  it("splits a hot symbol, and merges it when it is calm", () => {
    const utilizations = [...Array(30).fill(2), ...Array(120).fill(0.1)];
    expect(simulate(utilizations, 5).map(({ factor }) => factor)).toEqual([3, 1]);
  });

  it("splits in every burst of an hour: a merge does not use the last change", () => {
    const burst = [...Array(60).fill(2), ...Array(540).fill(0.1)];
    const changes = simulate([...burst, ...burst, ...burst, ...burst, ...burst], 5);
    expect(changes.map(({ factor }) => factor)).toEqual([3, 1, 3, 1, 3]);
    // The third split stays, so the fourth and fifth burst find the symbol split.
    expect(changes.at(-1)!.atMs).toBeLessThan(1_300_000);
  });
});

describe("automatic mode", () => {
  const hot: Watch = { phase: "hot", epoch: 0, factor: 1, sinceMs: 0, proposed: 3 };
  const input = {
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
    ["too early", { nowMs: 4_000 }, "it must stay hot for 6 s more"],
    ["no changes left", { changesLastHour: 2 }, "2 of 2 changes in the last hour are used up"],
    ["split by a trader", { ...split, plan: mine }, "a trader has split it, and decides about the merge"],
    [
      "less hot",
      { reading: reading({ utilization: 0.8, shardUtilization: 0.8 }) },
      "it is not hot at this moment",
    ],
    [
      "at its bound",
      { ...split, plan: { ...mine, setBy: AUTOMATIC_MODE }, bounds: { ...input.bounds, maxFactor: 2 } },
      "the largest factor allowed is 2",
    ],
  ])("waits: %s", (_, change, waitingFor) => {
    expect(decideAutomatically({ ...input, ...change })).toEqual({ waitingFor });
  });

  const mergeable: Watch = { phase: "mergeable", epoch: 1, factor: 2, sinceMs: 0, proposed: 1 };
  const calm = {
    watch: mergeable,
    reading: reading({ epoch: 1, factor: 2, utilization: 0.1, recommended: 1 }),
    plan: { ...mine, setBy: AUTOMATIC_MODE },
  };
  const perHour = (maxChangesPerHour: number) => ({ bounds: { ...input.bounds, maxChangesPerHour } });

  it.each([
    ["the last of 4", 4, 3, { waitingFor: "the last of 4 changes an hour is reserved for a split" }],
    ["the last but one of 4", 4, 2, { factor: 1 }],
    ["the first of 2", 2, 0, { factor: 1 }],
    ["the last of 2", 2, 1, { waitingFor: "the last of 2 changes an hour is reserved for a split" }],
    ["none of 4", 4, 4, { waitingFor: "4 of 4 changes in the last hour are used up" }],
    [
      "the only one",
      1,
      0,
      { waitingFor: "its one change an hour is reserved for a split; a trader can merge it" },
    ],
  ])("merges with %s", (_, most, changesLastHour, answer) => {
    expect(decideAutomatically({ ...input, ...calm, ...perHour(most), changesLastHour })).toEqual(answer);
  });

  it("splits with the last change of an hour, also with the only one", () => {
    for (const most of [1, 4])
      expect(decideAutomatically({ ...input, ...perHour(most), changesLastHour: most - 1 })).toEqual({
        factor: 3,
      });
  });

  it("decides nothing while nothing is proposed", () => {
    expect(decideAutomatically({ ...input, watch: { ...hot, phase: "heating" } })).toBeNull();
    expect(decideAutomatically({ ...input, watch: null })).toBeNull();
  });
});
