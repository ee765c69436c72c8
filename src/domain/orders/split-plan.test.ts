import { describe, expect, it } from "vitest";
import { AppError } from "../app-error";
import { COOLDOWN_MS, factorAt, nextPlan, type SplitPlan } from "./split-plan";

const now = new Date("2026-03-01T12:00:00Z");
const later = (ms: number) => new Date(now.getTime() + ms);
const change = {
  symbol: "DOGE",
  expectedEpoch: 0,
  factor: 5,
  strategy: "random" as const,
  placement: "planned" as const,
  reason: "a tweet",
  setBy: "tess",
  expiresAt: later(3_600_000),
};
const first = nextPlan(null, change, { now, shards: 5 });

const codeOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return null;
};

describe("a split plan", () => {
  it("follows the one that was seen, with the next epoch", () => {
    expect(first).toMatchObject({ epoch: 1, factor: 5, setAt: now });
    const again = { ...change, expectedEpoch: 1, factor: 2 };
    expect(nextPlan(first, again, { now: later(COOLDOWN_MS), shards: 5 }).epoch).toBe(2);
  });

  it("is refused when another change was faster, or the last plan is too young", () => {
    expect(codeOf(() => nextPlan(first, change, { now: later(COOLDOWN_MS), shards: 5 }))).toBe("CONFLICT");
    const again = { ...change, expectedEpoch: 1 };
    expect(codeOf(() => nextPlan(first, again, { now: later(COOLDOWN_MS - 1), shards: 5 }))).toBe(
      "RATE_LIMITED",
    );
  });

  it.each([
    ["a factor above the shard count", { factor: 6 }],
    ["a factor of 0", { factor: 0 }],
    ["a broken factor", { factor: 1.5 }],
    ["an expiry that is over", { expiresAt: now }],
    ["an expiry in eight days", { expiresAt: later(8 * 86_400_000) }],
  ])("is refused with %s", (_, wrong) => {
    expect(codeOf(() => nextPlan(null, { ...change, ...wrong }, { now, shards: 5 }))).toBe("BAD_REQUEST");
  });

  it("ends at its expiry", () => {
    const plan: SplitPlan = first;
    expect(factorAt(plan, later(3_599_999).getTime())).toBe(5);
    expect(factorAt(plan, later(3_600_000).getTime())).toBe(1);
    expect(factorAt(undefined, now.getTime())).toBe(1);
  });
});
