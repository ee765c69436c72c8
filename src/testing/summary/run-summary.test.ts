import { expect, test } from "vitest";
import { describeFailure } from "./run-summary";

test("a failure is its name and the first lines of each try, without colours", () => {
  const long = Array.from({ length: 20 }, (_, n) => `line ${n}`).join("\n");
  const text = describeFailure("a.test.ts › adds", [
    "\u001b[31mexpected 1\u001b[39m\n\nto be 2",
    long,
    undefined,
  ]);
  expect(text.split("\n").map(line => line.trim())).toEqual(
    ["a.test.ts › adds", "expected 1", "to be 2"].concat(
      Array.from({ length: 6 }, (_, n) => `line ${n}`),
      "no message",
    ),
  );
});
