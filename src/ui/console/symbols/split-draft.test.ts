import { describe, expect, it } from "vitest";
import { AUTOMATIC_MODE } from "../../../domain/orders/split-plan";
import type { SymbolRow } from "../contract";
import { draftOf, factorProblem, readFactor, splitInput, takesOver } from "./split-draft";

describe("a typed split", () => {
  it.each(["", "0", "-1", "2.5", "10000", "501", "5; DROP", "1e2", "four"])("refuses “%s”", text => {
    expect(readFactor(text)).toBeNull();
    expect(factorProblem(text, 5)).toBe("Type a whole number from 1 to 5.");
  });

  it("accepts at most as many sub-keys as there are shards", () => {
    expect(factorProblem(" 5 ", 5)).toBeUndefined();
    expect(factorProblem("6", 5)).toContain("There are 5 shards");
  });

  it("has no expiry for a symbol that is merged", () => {
    const draft = { factorText: "1", strategy: "random", placement: "planned", hotFor: 60_000 } as const;
    const about = { symbol: "DOGE", factor: 1, epoch: 3, reason: " calm ", keptUntil: null, nowMs: 1_000 };
    expect(splitInput(draft, about)).toMatchObject({ expiresAt: null, expectedEpoch: 3, reason: "calm" });
    expect(splitInput(draft, { ...about, factor: 2 }).expiresAt).toBe(new Date(61_000).toISOString());
  });
});

describe("a change of an existing split", () => {
  const row = {
    symbol: "DOGE",
    factor: 3,
    strategy: "account",
    placement: "plain",
    recommended: 2,
    setBy: "mia",
    expiresAt: "2031-01-02T03:04:05.000Z",
    suggestion: null,
    automatic: { on: true },
  } as unknown as SymbolRow;

  it("starts from the current split, and keeps each field that was not edited", () => {
    const draft = draftOf(row, "split");
    expect(draft).toEqual({ factorText: "3", strategy: "account", placement: "plain", hotFor: "kept" });
    const keptUntil = row.expiresAt;
    const about = { symbol: "DOGE", factor: 4, epoch: 3, reason: "more", keptUntil, nowMs: 0 };
    expect(splitInput(draft, about)).toMatchObject({
      factor: 4,
      expiresAt: row.expiresAt,
      strategy: "account",
      placement: "plain",
    });
    expect(splitInput(draftOf(row, "merge"), { ...about, factor: 1 }).expiresAt).toBeNull();
  });

  it("stays without an expiry where it has none", () => {
    expect(draftOf({ ...row, expiresAt: null }, "split").hotFor).toBeNull();
  });

  it("starts from the suggestion, and from the defaults where the symbol is not split", () => {
    const suggestion = { kind: "split", factor: 5 } as SymbolRow["suggestion"];
    expect(draftOf({ ...row, suggestion }, "split").factorText).toBe("5");
    const cold = draftOf({ ...row, factor: 1 }, "split");
    expect(cold).toMatchObject({ factorText: "2", placement: "planned", hotFor: 3_600_000 });
  });

  it("takes the split over from automatic mode, unless the mode is off or the symbol is merged", () => {
    const own = { ...row, setBy: AUTOMATIC_MODE };
    expect(takesOver(own, 4)).toBe(true);
    expect(takesOver(own, 1)).toBe(false);
    expect(takesOver(row, 4)).toBe(false);
    expect(takesOver({ ...own, automatic: { ...own.automatic, on: false } }, 4)).toBe(false);
  });
});
