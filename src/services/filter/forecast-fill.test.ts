import { describe, expect, it } from "vitest";
import { forecastFill } from "./forecast-fill";

const fill = (hours: number, items: number, fullestItems: number, users = items) => ({
  at: new Date(Date.parse("2026-01-01T00:00:00Z") + hours * 3_600_000).toISOString(),
  items,
  fullestShard: 0x3f,
  fullestItems,
  users,
});
const forecast = (now: object, since: object) => forecastFill({ fill: now, fillSince: since }, 1_000);

describe("a version's forecast", () => {
  it("is null without fill samples", () => {
    expect(forecastFill({}, 1_000)).toBeNull();
    expect(forecastFill({ fill: "nonsense" }, 1_000)).toBeNull();
  });

  it("counts the days until the fullest shard is full", () => {
    // 25,600 names a day: 100 in each shard.
    const forecasted = forecast(fill(24, 51_200, 250), fill(0, 25_600, 140));
    expect(forecasted).toMatchObject({ fullestShard: "3f", fillRatio: 0.25, staleRatio: 0 });
    expect(forecasted!.fullInDays).toBeCloseTo(7.5, 5);
    expect(forecasted!.suggestion).toBe("Shard 3f is full in 8 days. Rebuild with a larger capacity.");
  });

  it("has no days after minutes, or without growth", () => {
    expect(forecast(fill(0.5, 51_200, 250), fill(0, 25_600, 140))!.fullInDays).toBeNull();
    expect(forecast(fill(48, 25_600, 140), fill(0, 25_600, 140))!.fullInDays).toBeNull();
  });

  it("suggests a rebuild at 80 % fill, or when a fifth of the names is stale", () => {
    expect(forecast(fill(1, 200_000, 800), fill(0, 200_000, 800))!.suggestion).toContain("80 % full");
    expect(forecast(fill(1, 50_000, 240, 35_000), fill(0, 50_000, 240))!.suggestion).toContain(
      "30 % of its names",
    );
    expect(forecast(fill(1, 50_000, 240), fill(0, 50_000, 240))!.suggestion).toBeNull();
  });
});
