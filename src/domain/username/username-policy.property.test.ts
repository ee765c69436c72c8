import fc from "fast-check";
import { expect, it } from "vitest";
import { characterOf } from "./username-characters";
import { readAnyUsername, readUsername } from "./username-policy";
import { skeletonOf, skeletonOfAny } from "./username-skeleton";

const LAST = 0x10ffff;

/** Names of one script, which pass the script rule more often than random Unicode strings. */
const neighbours = fc
  .tuple(
    fc.constantFrom(0x61, 0xc0, 0x300, 0x370, 0x430, 0x5d0, 0x620, 0x905, 0xe01, 0x3041, 0xac00),
    fc.nat(0),
  )
  .chain(([start]) =>
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.nat(80).map(n => String.fromCodePoint(start + n)) },
        { weight: 1, arbitrary: fc.constantFrom("\u0301", "\u0323", ".", "_", "-", "7", " ", "\u0345") },
      ),
      { minLength: 1, maxLength: 20 },
    ),
  )
  .map(chars => chars.join(""));
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme" }),
  neighbours,
);
const plainish = fc.string({ unit: fc.constantFrom(..."abmyzAMZ0189._- "), maxLength: 36 });

function expectFixedPoint(raw: string) {
  const verdict = readUsername(raw);
  if (!verdict.ok) return;
  const again = readUsername(verdict.key);
  expect(again).toEqual({ ...verdict, username: verdict.key });
  expect(skeletonOfAny(verdict.skeleton)).toBe(verdict.skeleton);
  expect(readUsername(verdict.username)).toEqual(verdict);
}

it("gives the same key when it is applied to its own key", () => {
  fc.assert(fc.property(anyText, expectFixedPoint), { numRuns: 5_000 });
});

it("gives canonically equivalent spellings one verdict", () => {
  fc.assert(
    fc.property(neighbours, name => {
      const [composed, decomposed] = [
        readUsername(name.normalize("NFC")),
        readUsername(name.normalize("NFD")),
      ];
      expect(decomposed.ok && decomposed.key).toBe(composed.ok && composed.key);
    }),
    { numRuns: 2_000 },
  );
});

it("gives the same verdict for plain ASCII by regex and by table", () => {
  fc.assert(
    fc.property(plainish, name => {
      expect(readUsername(name)).toEqual(readAnyUsername(name));
      const key = name.toLowerCase();
      expect(skeletonOf(key)).toBe(skeletonOfAny(key));
    }),
    { numRuns: 5_000 },
  );
  const everyKeyCharacter = "abcdefghijklmnopqrstuvwxyz0123456789._-";
  expect(skeletonOf(everyKeyCharacter)).toBe(skeletonOfAny(everyKeyCharacter));
});

it("settles for every assigned character, alone and after a letter", { timeout: 60_000 }, () => {
  const wrong: string[] = [];
  for (let codePoint = 0; codePoint <= LAST; codePoint++) {
    const char = String.fromCodePoint(codePoint);
    const { kind } = characterOf(char);
    if (kind === "unassigned" || kind === "invisible") continue;
    for (const raw of [char.repeat(3), `a${char}b`]) {
      const verdict = readAnyUsername(raw);
      if (!verdict.ok) continue;
      const again = readAnyUsername(verdict.key);
      const stable = again.ok && again.key === verdict.key && again.skeleton === verdict.skeleton;
      if (!stable || skeletonOfAny(verdict.skeleton) !== verdict.skeleton) wrong.push(codePoint.toString(16));
    }
  }
  expect(wrong).toEqual([]);
});
