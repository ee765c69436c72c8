import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CANDIDATE_STATES,
  canBecome,
  LIVE_STATES,
  STORED_STATES,
  TRANSITIONS,
  VERSION_STATES,
  type VersionState,
} from "./filter-version";

const state = fc.constantFrom(...VERSION_STATES);

describe("a filter version's states", () => {
  it("all lead to a final state", () => {
    const ends = VERSION_STATES.filter(from => TRANSITIONS[from].length === 0);
    expect(ends).toEqual(["retired", "cancelled", "failed"]);
    const reachesAnEnd = (from: VersionState, seen = new Set<VersionState>()): boolean =>
      ends.includes(from) ||
      TRANSITIONS[from].some(to => !seen.has(to) && reachesAnEnd(to, new Set(seen).add(from)));
    for (const from of VERSION_STATES) expect(reachesAnEnd(from), from).toBe(true);
  });

  it("lead to active only from ready or previous, and to ready only from verifying", () => {
    fc.assert(
      fc.property(state, from => canBecome(from, "active") === (from === "ready" || from === "previous")),
    );
    expect(VERSION_STATES.filter(from => canBecome(from, "ready"))).toEqual(["verifying"]);
  });

  it("never lead from active to the removal of its keys", () => {
    expect(VERSION_STATES.filter(from => canBecome(from, "retiring"))).toEqual(["previous"]);
    expect(VERSION_STATES.filter(from => canBecome(from, "discarding"))).toEqual(CANDIDATE_STATES);
  });

  it("are live only while the shards are in Redis", () => {
    for (const live of LIVE_STATES) expect(STORED_STATES).toContain(live);
    expect(LIVE_STATES).not.toContain("building");
  });
});
