import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../seeded-random";
import { suggestUsernames } from "./suggest-usernames";
import { readUsername } from "./username-policy";

describe("suggestUsernames", () => {
  it.each([
    "frank",
    "\u0438\u0432\u0430\u043d",
    "\u0645\u062d\u0645\u062f",
    "\u0645\u062d\u0645\u0662",
    "\u0915\u094d\u0937\u0967",
    "\ud55c\uad6d\uc5b4",
    "ab",
    "x".repeat(32),
    "\u{20000}".repeat(32),
    `${"x".repeat(28)}._y`,
  ])("gives eight valid names close to %s", request => {
    const names = suggestUsernames(request, seededRandom(7));
    expect(names).toHaveLength(8);
    for (const name of names) expect(readUsername(name)).toMatchObject({ ok: true, key: name });
    const start = [...request].slice(0, 2).join("");
    expect(names.every(name => name.includes(start))).toBe(true);
  });

  it("gives different names that don't look like each other or the request", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]{3,32}$/), fc.integer(), (request, seed) => {
        const names = suggestUsernames(request, seededRandom(seed));
        const skeletons = [request, ...names].map(name => {
          const verdict = readUsername(name);
          return verdict.ok && verdict.skeleton;
        });
        expect(new Set(skeletons).size).toBe(9);
      }),
    );
  });

  it("depends on the request and the numbers only", () => {
    expect(suggestUsernames("frank", seededRandom(1))).toEqual(suggestUsernames("frank", seededRandom(1)));
    expect(suggestUsernames("frank", seededRandom(1))).not.toEqual(
      suggestUsernames("frank", seededRandom(2)),
    );
    expect(suggestUsernames("frank", () => 0)).toHaveLength(8);
  });

  it("suggests no names for text that can't be a name", () => {
    expect(suggestUsernames("a b", seededRandom(1))).toEqual([]);
  });
});
