import { describe, expect, it } from "vitest";
import { factorProblem, readFactor, wishOf } from "./split-draft";

describe("a split that somebody types", () => {
  it.each(["", "0", "-1", "2.5", "10000", "501", "5; DROP", "1e2", "four"])("takes no “%s”", text => {
    expect(readFactor(text)).toBeNull();
    expect(factorProblem(text, 5)).toBe("Type a whole number from 1 to 5.");
  });

  it("takes what the shards can bear", () => {
    expect(factorProblem(" 5 ", 5)).toBeUndefined();
    expect(factorProblem("6", 5)).toContain("There are 5 shards");
  });

  it("keeps no expiry for a symbol that is cooled down", () => {
    const draft = { factorText: "1", strategy: "random", placement: "planned", hotForMs: 60_000 } as const;
    const about = { symbol: "DOGE", factor: 1, epoch: 3, reason: " calm " };
    expect(wishOf(draft, about)).toMatchObject({ expiresAt: null, expectedEpoch: 3, reason: "calm" });
    const until = Date.parse(wishOf(draft, { ...about, factor: 2 }).expiresAt!);
    expect(Math.abs(until - Date.now() - 60_000)).toBeLessThan(5_000);
  });
});
