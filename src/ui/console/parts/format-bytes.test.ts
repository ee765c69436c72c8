import { expect, test } from "vitest";
import { formatBytes } from "./format-bytes";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_000, "1.00 kB"],
  [12_345_678, "12.3 MB"],
  [431_000_000, "431 MB"],
  [5e15, "5000 TB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
