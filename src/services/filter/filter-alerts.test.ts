import { describe, expect, it } from "vitest";
import { filterAlerts } from "./filter-alerts";
import type { FilterStatus, VersionStatus } from "./read-filter-status";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();
const codes = (...versions: Partial<VersionStatus>[]) =>
  filterAlerts({ versions } as FilterStatus, NOW).map(alert => alert.code);

describe("the rollout's alerts", () => {
  it("are empty for a healthy rollout, and for an unknown one", () => {
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

  it("report a promotion that readers do not follow, and a rebuild without a worker", () => {
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

  it("report a rollback and a failed rebuild for an hour", () => {
    const rolledBack = {
      version: 2,
      state: "previous",
      failure: "Automatic: a shard is broken.",
      stateAt: ago(60),
    } as const;
    expect(codes(rolledBack)).toEqual(["filter_rolled_back"]);
    expect(codes({ ...rolledBack, stateAt: ago(7_200) })).toEqual([]);
    expect(codes({ version: 3, state: "failed", failure: "too small", stateAt: ago(5) })).toEqual([
      "rebuild_failed",
    ]);
  });
});
