import { describe, expect, it } from "vitest";
import { scenarioTraffic } from "./scenario-traffic";

describe("the traffic of a scenario", () => {
  it("is the same for the same seed, each sale after its purchase on the same producer", () => {
    const options = { symbol: "DOGE", rate: 500, seconds: 2, producers: 3, seed: 5 };
    const traffic = scenarioTraffic(options);
    expect(scenarioTraffic(options)).toEqual(traffic);
    const bought = new Map<string, number>();
    for (const { order, producer } of traffic) {
      if (order.accountId === "market-maker") continue;
      if (order.side === "buy") bought.set(order.accountId, producer);
      else expect(bought.get(order.accountId)).toBe(producer);
    }
    expect(bought.size).toBe(500);
  });
});
