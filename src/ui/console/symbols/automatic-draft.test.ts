import { describe, expect, it } from "vitest";
import type { SymbolRow } from "../contract";
import { automaticInput, boundProblem, boundsFor, draftFrom } from "./automatic-draft";

const row = {
  symbol: "DOGE",
  automatic: { on: true, version: 3, maxFactor: 5, minHotSeconds: 10, maxChangesPerHour: 4 },
} as SymbolRow;

describe("the bounds of automatic mode", () => {
  it.each(["", "1", "6", "2.5", "5; DROP", "1e1"])(
    "refuse a factor of “%s” where there are 5 shards",
    text => {
      expect(boundProblem(text, boundsFor(5)[0])).toBe("Type a whole number from 2 to 5.");
    },
  );

  it("accept a number within the range, with at most as many shards as there are", () => {
    expect(boundProblem(" 5 ", boundsFor(5)[0])).toBeUndefined();
    expect(boundsFor(1)[0]).toMatchObject({ min: 2, max: 2 });
    expect(boundsFor(2_000)[0].max).toBe(500);
  });

  it("stay as they are when the mode is turned off; the change names the version that was seen", () => {
    const draft = { ...draftFrom(row), on: false, maxFactor: "nonsense" };
    expect(automaticInput(draft, row, " calm ")).toEqual({
      symbol: "DOGE",
      on: false,
      maxFactor: 5,
      minHotSeconds: 10,
      maxChangesPerHour: 4,
      expectedVersion: 3,
      reason: "calm",
    });
    expect(automaticInput({ ...draftFrom(row), maxFactor: "3" }, row, "x")).toMatchObject({ maxFactor: 3 });
  });
});
