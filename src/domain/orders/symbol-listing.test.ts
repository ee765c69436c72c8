import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../app-error";
import {
  checkListingChange,
  delistProblem,
  haltProblem,
  LISTING_CHANGES,
  type ListingChange,
  type ListingState,
} from "./symbol-listing";

const states = fc.constantFrom<ListingState>("trading", "halted", "delisted");
const changes = fc.constantFrom(...(Object.keys(LISTING_CHANGES) as ListingChange[]));
const versions = fc.nat(3);

describe("a change of a listing", () => {
  it("is possible only from its state and for the version that its author has seen", () => {
    fc.assert(
      fc.property(states, changes, versions, versions, (state, change, version, seen) => {
        const run = () => checkListingChange({ symbol: "DOGE", state, version }, change, seen);
        if (state === LISTING_CHANGES[change].from && version === seen) expect(run).not.toThrow();
        else expect(run).toThrow(AppError);
      }),
    );
  });
});

describe("a halted symbol", () => {
  it("says why, and that it accepts cancels", () => {
    const listed = { symbol: "DOGE", priceDecimals: 5, quantityDecimals: 2, listingVersion: 1 };
    const halt = { reason: "a fork of its chain.", since: new Date(), by: "mia" };
    expect(haltProblem({ ...listed, halt })).toBe(
      "DOGE is halted: a fork of its chain. It accepts only cancels until a trader resumes it.",
    );
    expect(haltProblem({ ...listed, halt: null })).toBeNull();
  });
});

describe("delisting", () => {
  const check = { symbol: "DOGE", state: "halted" as ListingState, sinceMs: 60_000, factor: 1 };
  const idle = { openOrders: 0, behind: 0, lagMs: 40 };

  it.each([
    [{ state: "trading" as const }, {}, "DOGE is not halted. Halt it first."],
    [{ factor: 3 }, {}, "DOGE is split by 3. Cool it down first."],
    [{}, { behind: null }, /unknown. Look at the page Engine first/],
    [{}, { behind: 1 }, "1 order of DOGE is not matched yet. Wait for the engine, then try again."],
    [
      {},
      { openOrders: 1_200 },
      "DOGE has 1,200 open orders. Cancel them first: a halted symbol accepts cancels.",
    ],
    [{}, { lagMs: null }, /lag of the aggregator of DOGE is unknown/],
    [{ sinceMs: 4_000 }, { lagMs: 1_000 }, /from before the halt .* Try again in 7 s/],
  ])("of %j with %j is refused", (state, pending, problem) => {
    expect(delistProblem({ ...check, ...state }, { ...idle, ...pending })).toEqual(
      typeof problem === "string" ? problem : expect.stringMatching(problem),
    );
  });

  it("is possible when nothing is open or on its way", () => {
    expect(delistProblem(check, idle)).toBeNull();
  });
});
