import { describe, expect, it } from "vitest";
import { readScenarioOptions } from "./scenario-options";

describe("npm run load -- scenario", () => {
  it("needs only the scenario", () => {
    expect(readScenarioOptions(["scenario", "all", "--json"])).toEqual({
      scenario: "all",
      symbol: "DOGE",
      rate: 4_700,
      seconds: 5,
      shards: 5,
      producers: 4,
      seed: 1,
      json: true,
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
});
