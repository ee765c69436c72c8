import { describe, expect, it } from "vitest";
import { readOrdersOptions } from "./orders-options";

describe("options of the load of orders", () => {
  it("reads what is given and keeps the rest", () => {
    expect(readOrdersOptions(["orders", "--symbol", "BTC", "--rate", "2000"])).toEqual({
      url: "http://localhost:3000",
      symbol: "BTC",
      rate: 2_000,
      seconds: 60,
    });
  });

  it.each([
    [["--rate", "fast"], "--rate fast"],
    [["--rate", "1000000"], "--rate 1000000"],
    [["--symbol", "doge"], "--symbol doge"],
    [["--url", "http://example.com"], "--allow-remote"],
  ])("refuses %j in words", (args, text) => {
    expect(() => readOrdersOptions(["orders", ...args])).toThrow(text);
  });
});
