import { describe, expect, it } from "vitest";
import { addSymbolInput, addSymbolProblem, amountRange, EMPTY_SYMBOL } from "./add-symbol-draft";

const draft = (change: object = {}) => ({ ...EMPTY_SYMBOL, symbol: "LTC", reason: "new", ...change });

describe("the form of a new symbol", () => {
  it.each([
    [{ symbol: "" }, /^Type a symbol/],
    [{ symbol: "1INCH" }, /^Type a symbol/],
    [{ symbol: "LTC-2" }, /^Type a symbol/],
    [{ priceDecimals: "13" }, "Type decimals from 0 to 12."],
    [{ quantityDecimals: "" }, "Type decimals from 0 to 12."],
    [{ quantityDecimals: "1.5" }, "Type decimals from 0 to 12."],
    [{ reason: " " }, "Write the reason first."],
  ])("with %j has a problem", (change, problem) => {
    expect(addSymbolProblem(draft(change))).toMatch(problem);
  });

  it("sends capital letters and whole numbers", () => {
    const typed = draft({ symbol: " ltc", priceDecimals: "0", reason: " new " });
    expect(addSymbolProblem(typed)).toBeUndefined();
    expect(addSymbolInput(typed)).toEqual({
      symbol: "LTC",
      priceDecimals: 0,
      quantityDecimals: 8,
      reason: "new",
    });
  });

  it("shows the range of amounts", () => {
    expect(amountRange("8")).toBe("0.00000001 to 10,000,000");
    expect(amountRange("0")).toBe("1 to 1,000,000,000,000,000");
    expect(amountRange("many")).toBeNull();
  });
});
