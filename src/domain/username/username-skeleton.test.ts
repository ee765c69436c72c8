import { describe, expect, it } from "vitest";
import { readUsername } from "./username-policy";
import { skeletonOf } from "./username-skeleton";

const skeletonFor = (raw: string) => {
  const verdict = readUsername(raw);
  return verdict.ok ? verdict.skeleton : `refused: ${verdict.rule}`;
};

describe("skeletonOf", () => {
  it.each([
    ["\u0440\u0430\u0443\u0440\u0430\u04cf", "paypal"], // all Cyrillic
    ["\u0455\u0441\u043e\u0440\u0435", "scope"],
    ["paypa1", "paypal"],
    ["g00gle", "google"],
    ["com1", "coml"],
    ["\u1d0dom", "\u028dom"], // a small capital M, an inverted w
    ["\u0131ntel", "intel"],
    ["\u03bf\u03bf\u03bf", "ooo"], // Greek omicron
    ["\u13aa\u13a0\u13a0", "add"], // Cherokee
  ])("takes %s for %s", (name, other) => {
    expect(skeletonFor(name)).toBe(skeletonFor(other));
  });

  it("distinguishes names that users can distinguish", () => {
    for (const [one, other] of [
      ["modern", "modem"],
      ["corn1", "com1"],
      ["stern", "stem"],
      ["barn", "bam"],
      ["\u0271od", "\u0271ocl"],
    ] as const) {
      expect(skeletonFor(one), one).not.toBe(skeletonFor(other));
    }
    expect(new Set(["frank", "franc", "fr\u00e4nk", "fran-k", "frank2"].map(skeletonFor)).size).toBe(5);
    // The key is folded before: a capital I is an i here.
    expect(skeletonFor("paypaI")).toBe("paypai");
  });

  it("drops invisible characters and folds capitals of the table", () => {
    expect(skeletonOf("a\u200bb\u00e9")).toBe("abe\u0301");
    expect(skeletonOf("0\u0430")).toBe("oa");
  });
});
