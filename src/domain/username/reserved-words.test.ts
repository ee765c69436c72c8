import { describe, expect, it } from "vitest";
import { compileReserved, DEFAULT_RESERVED_WORDS, matchReserved, type ReservedWord } from "./reserved-words";
import { readUsername } from "./username-policy";

const named = (raw: string) => {
  const verdict = readUsername(raw);
  if (!verdict.ok) throw new Error(`${raw}: ${verdict.rule}`);
  return verdict;
};
const word = (kind: ReservedWord["kind"], pattern: string): ReservedWord => ({
  kind,
  pattern,
  reason: "test",
});

describe("matchReserved", () => {
  it("compares keys for an exact word in any spelling of the pattern", () => {
    const words = [word("exact", " Stra\u00dfe ")];
    expect(matchReserved(words, named("STRASSE"))).toBe(words[0]);
    expect(matchReserved(words, named("strasse2"))).toBeNull();
  });

  it("finds a contained word anywhere in the key", () => {
    const words = [word("contains", "FLOODGATE")];
    expect(matchReserved(words, named("the_floodgate_team"))).toBe(words[0]);
    for (const name of ["flood.gate", "my-f1oodgate", "fl00d_gatekeeper"])
      expect(matchReserved(words, named(name)), name).toBe(words[0]);
    expect(matchReserved(words, named("flood_and_gate"))).toBeNull();
  });

  it("refuses lookalikes of a skeleton word, and symbols between its letters", () => {
    const words = [word("skeleton", "admin"), word("skeleton", "support")];
    for (const name of ["ADMIN", "adrnin", "ad-min", "a.d.m.i.n", "supp0rt", "adm\u0131n"]) {
      expect(matchReserved(words, named(name)), name).not.toBeNull();
    }
    for (const name of ["admins", "badminton", "supporter"]) {
      expect(matchReserved(words, named(name)), name).toBeNull();
    }
  });

  it("refuses names that are made of skeleton words alone", () => {
    const words = ["official", "support", "team"].map(pattern => word("skeleton", pattern));
    for (const name of ["official_support", "support-team", "team.supp0rt", "5upport-team-0ff1cial"])
      expect(matchReserved(words, named(name)), name).not.toBeNull();
    for (const name of ["team-rocket", "my_support", "steam", "team2"])
      expect(matchReserved(words, named(name)), name).toBeNull();
  });

  it("lets a word that folds to nothing match nothing", () => {
    const match = compileReserved([word("contains", " "), word("skeleton", "._"), word("exact", "")]);
    expect(match(named("anyone"))).toBeNull();
  });

  it("answers at once among ten thousand exact words", () => {
    const match = compileReserved(Array.from({ length: 10_000 }, (_, i) => word("exact", `word${i}`)));
    expect(match(named("word9999"))?.pattern).toBe("word9999");
    expect(match(named("word10000"))).toBeNull();
  });
});

describe("DEFAULT_RESERVED_WORDS", () => {
  const match = compileReserved(DEFAULT_RESERVED_WORDS);

  it.each([
    "admin",
    "Root",
    "supp0rt",
    "help",
    "api",
    "www",
    "null",
    "undefined",
    "system",
    "rnoderator",
    "Floodgate",
    "adm1n",
    "adrnin",
    "admln",
    "r00t",
    "5taff",
    "official_support",
    "support-team",
    "the.support.team",
    "0ff1cial",
    "sy5tem",
    "bi11ing",
    "\u1d00\u1d05\u1d0d\u026a\u0274", // small capitals: admin
    "\ua731\u1d1c\u1d18\u1d18\u1d0f\u0280\u1d1b", // support
    "\u00e1dmin",
  ])("keeps %s", name => {
    expect(match(named(name))).not.toBeNull();
  });

  it.each([
    "frank",
    "badminton",
    "maria",
    "rooted",
    "helpful",
    "Wellington",
    "modern",
    "modem",
    "staffan",
    "root_beer",
    "team-rocket",
  ])("leaves %s", name => {
    expect(match(named(name))).toBeNull();
  });

  it("gives each word one row and a reason", () => {
    const rows = DEFAULT_RESERVED_WORDS.map(({ kind, pattern }) => `${kind} ${pattern}`);
    expect(new Set(rows).size).toBe(rows.length);
    expect(DEFAULT_RESERVED_WORDS.every(({ reason }) => reason.length > 0)).toBe(true);
  });
});
