import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readAnyUsername, readUsername, USERNAME_POLICY_VERSION, usernameKey } from "./username-policy";

const ruleOf = (raw: string) => {
  const verdict = readUsername(raw);
  return verdict.ok ? `accepted as ${verdict.key}` : verdict.rule;
};

describe("one key for one name", () => {
  it.each([
    ["Frank", "frank"],
    [" frank", "frank"],
    ["frank\u00a0", "frank"],
    ["\u3000\u2003admin ", "admin"],
    ["\uff21\uff24\uff2d\uff29\uff2e", "admin"], // full width
    ["\u1d2e\u1d35\u1d33\u1d2e\u1d35\u1d3f\u1d30", "bigbird"], // modifier letters
    ["jose\u0301", "jos\u00e9"],
    ["JOS\u00c9", "jos\u00e9"],
    ["\u212aevin", "kevin"], // kelvin sign
    ["\u017fam", "sam"], // long s
    ["stra\u00dfe", "strasse"],
    ["STRASSE", "strasse"],
    ["STRA\u1e9eE", "strasse"],
    ["ISTANBUL", "istanbul"],
    ["\u03bf\u03b4\u03c5\u03c3\u03c3\u03b5\u03c5\u03c2", "\u03bf\u03b4\u03c5\u03c3\u03c3\u03b5\u03c5\u03c3"], // final sigma
    ["\u1112\u1161\u11ab\u1100\u116e\u11a8\uc5b4", "\ud55c\uad6d\uc5b4"], // hangul jamo
    ["\uff76\uff9e\uff77\uff78", "\u30ac\u30ad\u30af"], // half-width katakana
    ["\uab70\uab71\uab72", "\u13a0\u13a1\u13a2"], // cherokee folds to capitals
  ])("reads %s as %s", (raw, key) => {
    expect(usernameKey(raw)).toBe(key);
    expect(usernameKey(key)).toBe(key);
  });

  it("keeps the dotless i apart from the i, with one skeleton for both", () => {
    expect(readUsername("\u0131stanbul")).toMatchObject({ key: "\u0131stanbul", skeleton: "istanbul" });
  });

  it("keeps the name as typed and the version of the policy", () => {
    expect(readUsername(" Fr\u00e4nk\u00a0")).toEqual({
      ok: true,
      username: "Fr\u00e4nk",
      key: "fr\u00e4nk",
      skeleton: "fra\u0308nk",
      policyVersion: USERNAME_POLICY_VERSION,
    });
  });

  it("uses no function that depends on the locale", () => {
    const sources = readdirSync(import.meta.dirname).filter(name =>
      /^(username|reserved|suggest)-/.test(name),
    );
    for (const name of sources.filter(name => !name.endsWith(".test.ts"))) {
      const source = readFileSync(`${import.meta.dirname}/${name}`, "utf8");
      expect(source, name).not.toMatch(/toLocale|localeCompare|Intl\b|toUpperCase/);
    }
  });
});

describe("names that are refused", () => {
  it.each([
    ["bob\u0000", "control"],
    ["bob\u0085", "control"],
    ["a\tb\nc", "control"],
    ["\ud83d", "malformed"],
    ["x\ude00", "malformed"],
    [`${"x".repeat(31)}\u{1f600}`.slice(0, 32), "malformed"], // cut in the middle of an emoji
    ["\u200b".repeat(15), "invisible"],
    ["admin\u200b", "invisible"],
    ["ad\u202emin", "invisible"],
    ["admin\u00ad", "invisible"],
    ["a\u3164b", "invisible"], // hangul filler
    ["ab\u200dc", "invisible"],
    ["ab\u200cc", "invisible"],
    ["abc\ufe0f", "invisible"],
    ["abc\u{e0061}\u{e007f}", "invisible"], // tags
    ["abc\u{e0100}", "invisible"],
    ["ab\u180ec", "invisible"],
    ["abc\ue000", "unassigned"], // private use
    ["abc\u{a7f1}", "unassigned"], // new in 17.0, where it folds to an s
    ["abc\u{10ffff}", "unassigned"],
    ["ad min", "space"],
    ["ad\u3000min", "space"],
    ["\u{1f600}\u{1f600}\u{1f600}", "character"],
    ["a+b", "character"],
    ["abc\u20dd", "character"], // enclosing mark
    ["\u0645\u0640\u062d\u0645\u062f", "character"], // tatweel
    ["\u1100\u1100\u1100", "character"], // jamo that don't compose
    ["ab", "too-short"],
    ["   ", "too-short"],
    ["a".repeat(33), "too-long"],
    ["\ufdfa\ufdfa\ufdfa", "space"], // one that folds to 18 characters
    [" ".repeat(65), "too-long"],
    ["x".repeat(100_000), "too-long"],
    ["_abc", "edge"],
    ["abc.", "edge"],
    ["a..b", "symbol-run"],
    ["a_-b", "symbol-run"],
    ["z\u0316\u0317\u0318\u0319algo", "mark"],
    ["a_\u0301bc", "mark"],
    ["1\u0301bc", "mark"],
    ["\u0301abc", "mark"],
    ["\u0130stanbul", "hidden-dot"],
    ["pau\u0142l\u0307", "hidden-dot"],
    ["v\u012f\u0307lnius", "hidden-dot"],
    ["\u0967\u09682", "digits"], // devanagari and ascii
    ["\u0645\u0661\u06f2", "digits"], // arabic-indic and its extended form
    ["\u0430dmin", "script"], // cyrillic a
    ["adm\u03b9n", "script"], // greek iota
    ["abc\u0967", "script"],
    ["\u304b\ud55c\uad6d", "script"],
    ["1\u05e9\u05dc\u05d5\u05dd", "direction"],
    ["\u0661\u0662\u0663", "direction"],
    ["\u0645\u062d\u0645\u06611", "digits"],
  ])("%j by the rule %s", (raw, rule) => {
    expect(ruleOf(raw)).toBe(rule);
  });

  it("have a message with advice in one short line", () => {
    const verdict = readUsername("a+b");
    expect(!verdict.ok && verdict.message).toMatch(/^.{10,90}\.$/);
  });
});

describe("names of many scripts", () => {
  it.each([
    "\u0438\u0432\u0430\u043d.\u043f\u0435\u0442\u0440\u043e\u0432_23",
    "\u3072\u3089\u30ab\u30bf\u6f22\u5b57\u30fc",
    "\ud55c\uad6d\u8a9e",
    "\u3105\u3106\u6f22",
    "\u05e9\u05dc\u05d5\u05dd123",
    "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd", // hebrew with points, a mark at its end is fine too
    "\u0645\u062d\u0645\u062f\u0662\u0663",
    "\u0915\u094d\u0937\u0924\u094d\u0930\u093f\u092f\u0967\u0968",
    "\u0e01\u0e38\u0e49\u0e07",
    "\u1000\u103c\u103d\u1031\u1038", // four marks, of which one is nonspacing
    "nguy\u1ec5n",
    "\u02bbokina",
    "2026",
  ])("accepts %s", name => {
    expect(readUsername(name)).toMatchObject({ ok: true, username: name });
  });

  it("counts 32 code points of the key, never more than 128 bytes", () => {
    const longest = "\u{20000}".repeat(32);
    expect(usernameKey(longest)).toBe(longest);
    expect(Buffer.byteLength(longest)).toBe(128);
    expect(ruleOf("\u00df".repeat(17))).toBe("too-long");
  });
});

it("gives the same verdict for plain names with and without the fast path", () => {
  for (const name of ["Frank", "a.b-c_d", "0o1lm", "A".repeat(32)]) {
    expect(readUsername(name)).toEqual(readAnyUsername(name));
  }
});
