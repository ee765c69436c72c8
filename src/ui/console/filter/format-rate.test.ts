import { expect, test } from "vitest";
import { formatFill, formatRate } from "./format-rate";

test.each([
  [0, "0 %"],
  [1e-12, "less than 1 in a billion"],
  [0.00021, "1 in 4,800"],
  [0.001, "0.1 %"],
  [0.0123, "1.2 %"],
  [0.25, "25 %"],
])("a rate of %d is %s", (ratio, text) => {
  expect(formatRate(ratio)).toBe(text);
});

test.each([
  [0, "0 %"],
  [0.0004, "under 0.1 %"],
  [0.0062, "0.6 %"],
  [0.615, "62 %"],
  [1.02, "102 %"],
])("a fill of %d is %s", (ratio, text) => {
  expect(formatFill(ratio)).toBe(text);
});
