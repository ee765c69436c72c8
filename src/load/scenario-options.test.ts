import { describe, expect, it } from "vitest";
import { readScenarioOptions } from "./scenario-options";
import { scenarioTraffic } from "./scenario-traffic";

describe("npm run load -- scenario", () => {
  it("needs only the scenario", () => {
    expect(readScenarioOptions(["scenario", "all", "--json"])).toEqual({
      ...{
        scenario: "all",
        symbol: "DOGE",
        rate: 4_700,
        seconds: 5,
        shards: 5,
        producers: 4,
        seed: 1,
        json: true,
      },
    });
  });

  it.each([
    [["scenario"], /random, hash, split, all/],
    [["scenario", "everything"], /not "everything"/],
    [["scenario", "all", "--symbol", "doge"], /no symbol/],
    [["scenario", "all", "--shards", "0"], /--shards 0 is not a whole number from 1 to 100/],
  ])("%j is refused in words", (args, message) => {
    expect(() => readScenarioOptions(args)).toThrow(message);
  });

  it("sends the same traffic for the same seed, each sale after its purchase on the same producer", () => {
    const options = { symbol: "DOGE", rate: 500, seconds: 2, producers: 3, seed: 5 };
    const traffic = scenarioTraffic(options);
    expect(scenarioTraffic(options)).toEqual(traffic);
    const bought = new Map<string, number>();
    for (const { order, producer } of traffic) {
      if (order.accountId === "house") continue;
      if (order.side === "buy") bought.set(order.accountId, producer);
      else expect(bought.get(order.accountId)).toBe(producer);
    }
    expect(bought.size).toBe(500);
  });
});
