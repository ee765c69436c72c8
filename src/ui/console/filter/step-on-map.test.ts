import fc from "fast-check";
import { expect, test } from "vitest";
import { stepOnMap } from "./step-on-map";

test.each([
  ["ArrowRight", 0x3f, false, 0x3f],
  ["ArrowLeft", 0x40, false, 0x40],
  ["ArrowDown", 0x3f, false, 0x4f],
  ["ArrowUp", 0x0f, false, 0x0f],
  ["ArrowDown", 0xf3, false, 0xf3],
  ["Home", 0x3f, false, 0x30],
  ["End", 0x30, true, 0xff],
  ["a", 0x30, false, null],
])("%s from %d", (key, at, isFar, to) => {
  expect(stepOnMap(key, at, isFar)).toBe(to);
});

test("no key leaves the map", () => {
  const keys = fc.constantFrom("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End");
  fc.assert(
    fc.property(fc.array(keys), pressed => {
      const at = pressed.reduce((from, key) => stepOnMap(key, from, false) ?? -1, 0x80);
      expect(at).toBeGreaterThanOrEqual(0);
      expect(at).toBeLessThanOrEqual(255);
    }),
  );
});
