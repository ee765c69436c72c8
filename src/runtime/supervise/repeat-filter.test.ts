import { expect, test } from "vitest";
import { RepeatFilter } from "./repeat-filter";

const retry = (n: number) => `03:04:0${n} warn relay redis connection failed: closed attempt=${n}`;

test("a line that is repeated less than a minute later is not new, also with other numbers", () => {
  const filter = new RepeatFilter();
  expect(filter.isNew(retry(1), 0)).toBe(true);
  for (let n = 2; n < 9; n += 1) expect(filter.isNew(retry(n), (n - 1) * 50_000)).toBe(false);
  expect(filter.isNew(retry(9), 7 * 50_000 + 60_001)).toBe(true);
});

test("another text is new", () => {
  const filter = new RepeatFilter();
  expect(filter.isNew(retry(1), 0)).toBe(true);
  expect(filter.isNew(retry(1).replace("relay", "lab"), 0)).toBe(true);
  expect(filter.isNew(retry(1).replace("closed", "refused"), 0)).toBe(true);
});
