import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { passwordSchema } from "./credentials";
import { MAX_RAW_PASSWORD_UNITS, normalizePassword, passwordLength } from "./password";

const problemOf = (raw: string) => passwordSchema.safeParse(raw).error?.issues[0]?.message;

describe("normalizePassword", () => {
  it.each([
    ["a decomposed accent", "cafe\u0301 au lait noir", "caf\u00e9 au lait noir"],
    ["jamo", "\u1112\u1161\u11ab\u1100\u1173\u11af", "\ud55c\uae00"],
    ["a no-break space", "three\u00a0calm\u00a0herons", "three calm herons"],
    ["an ideographic space", "three\u3000calm\u3000herons", "three calm herons"],
    ["an ogham space", "three\u1680calm", "three calm"],
    ["a thin and a narrow space", "three\u2009calm\u202fherons", "three calm herons"],
    ["full-width letters and digits", "\uff50\uff49\uff4e\uff11\uff12", "pin12"],
    ["half-width katakana", "\uff76\uff9e\uff77", "\u30ac\u30ad"],
    ["a ligature", "\ufb01nal", "final"],
    ["Vietnamese letters", "Vie\u0323\u0302t Nam", "Vi\u1ec7t Nam"],
  ])("takes %s for the plain text", (_, raw, plain) => {
    expect(normalizePassword(raw)).toBe(plain);
  });

  it("keeps capitals, spaces at the ends and control characters", () => {
    expect(normalizePassword("  Three Calm\0Herons ")).toBe("  Three Calm\0Herons ");
  });

  it("changes nothing the second time, in any form of Unicode", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.constantFrom("NFC", "NFD", "NFKD"), (raw, form) => {
        const normal = normalizePassword(raw);
        expect(normalizePassword(normal)).toBe(normal);
        expect(normalizePassword(raw.normalize(form))).toBe(normal);
      }),
    );
  });
});

describe("passwordSchema", () => {
  it("counts code points of the normal form", () => {
    expect(problemOf("\u1112\u1161\u11ab".repeat(11))).toContain("at least 12");
    expect(problemOf("\u1112\u1161\u11ab".repeat(128))).toBeUndefined();
    expect(problemOf("\u1112\u1161\u11ab".repeat(129))).toContain("at most 128");
    expect(problemOf("\u{1f600}".repeat(11))).toContain("at least 12");
    expect(problemOf("\u{1f600}".repeat(128))).toBeUndefined();
    // One character that is eighteen in its normal form.
    expect(problemOf("\ufdfa".repeat(8))).toContain("at most 128");
  });

  it("refuses text that is too long before it normalises it", () => {
    for (const raw of ["\u0301".repeat(4_096), `a${"\u0301".repeat(4_095)}`, "\ufdfa".repeat(60_000)]) {
      expect(problemOf(raw)).toBe("Use at most 128 characters.");
      expect(passwordLength(raw)).toBe(raw.length);
    }
    expect(passwordLength("\u0344".repeat(MAX_RAW_PASSWORD_UNITS))).toBe(2 * MAX_RAW_PASSWORD_UNITS);
  });

  it("refuses lone surrogates and gives the normal form", () => {
    expect(problemOf(`three calm herons\ud83d`)).toContain("broken character");
    expect(problemOf(`\udc00three calm herons`)).toContain("broken character");
    expect(passwordSchema.parse("three\u00a0calm\u00a0herons")).toBe("three calm herons");
  });
});
