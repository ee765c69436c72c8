import { describe, expect, it } from "vitest";
import { filterAlerts } from "./filter-alerts";
import type { FilterStatus, VersionStatus } from "./read-filter-status";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();
const codes = (...versions: Partial<VersionStatus>[]) =>
  filterAlerts({ versions } as FilterStatus, NOW).map(alert => alert.code);

describe("the rollout's alerts", () => {
  it("are none while all is well, or nobody knows", () => {
    expect(filterAlerts(null)).toEqual([]);
    const active = {
      version: 1,
      state: "active",
      stateAt: ago(90),
      activatedAt: ago(90),
      switchedAt: ago(89),
    } as const;
    expect(codes(active, { version: 2, state: "requested", stateAt: ago(1) })).toEqual([]);
  });

  it("say when readers are not told of a flip, or nobody builds", () => {
    const active = {
      version: 1,
      state: "active",
      stateAt: ago(30),
      activatedAt: ago(30),
      switchedAt: null,
    } as const;
    expect(codes(active)).toEqual(["filter_not_switched"]);
    expect(codes({ version: 2, state: "requested", stateAt: ago(60) })).toEqual(["filter_unattended"]);
  });

  it("tell of a version that went back or failed, for an hour", () => {
    const back = {
      version: 2,
      state: "previous",
      failure: "Automatic: a shard is gone.",
      stateAt: ago(60),
    } as const;
    expect(codes(back)).toEqual(["filter_rolled_back"]);
    expect(codes({ ...back, stateAt: ago(7_200) })).toEqual([]);
    expect(codes({ version: 3, state: "failed", failure: "too small", stateAt: ago(5) })).toEqual([
      "rebuild_failed",
    ]);
  });
});
