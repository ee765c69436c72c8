import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failureOf, newPerson, nextAddress, TestGate } from "../../testing/server-gate";
import { postJson, rawRequest } from "../../testing/server-raw-http";

let gate: TestGate;

beforeAll(async () => {
  gate = await TestGate.start();
});

afterAll(() => gate.stop());

const ZERO_WIDTH = "\u200b";

/** The name as typed, and the rule that refuses it. */
const REFUSED: [string, string, string][] = [
  ["NUL", "bob\0", "control"],
  ["a C1 control", "bo\u0085b", "control"],
  ["a lone high surrogate", "\ud83d", "malformed"],
  ["a lone low surrogate", "x\ude00", "malformed"],
  ["a name cut inside an emoji", `${"a".repeat(31)}\ud83d`, "malformed"],
  ["15 zero-width spaces", ZERO_WIDTH.repeat(15), "invisible"],
  ["a zero-width space at the end", `admin${ZERO_WIDTH}`, "invisible"],
  ["a soft hyphen", "admin\u00ad", "invisible"],
  ["a bidirectional override", "ad\u202emin", "invisible"],
  ["a Hangul filler", "a\u3164b", "invisible"],
  ["a Cyrillic letter among Latin ones", "\u0430dmin", "script"],
  ["an unassigned code point", "ab\u{10ffff}c", "unassigned"],
  ["a dot on a dotted letter", "\u0130stanbul", "hidden-dot"],
  ["a space inside", "a b c", "space"],
  ["nothing", "", "too-short"],
  ["33 letters", "a".repeat(33), "too-long"],
  ["512 letters", "a".repeat(512), "too-long"],
  ["a reserved word", "admin", "reserved"],
  ["a reserved word padded with a space", "admin ", "reserved"],
  ["a reserved word padded with a no-break space", "\u00a0admin", "reserved"],
  ["a reserved word in full-width letters", "\uff21\uff24\uff2d\uff29\uff2e", "reserved"],
];

describe("refused names", () => {
  it.each(REFUSED)("%s: BAD_REQUEST on the username, also in a check", async (_, username, rule) => {
    const failure = await failureOf(gate.signUp(newPerson(username)));
    expect(failure).toMatchObject({
      code: "BAD_REQUEST",
      httpStatus: 400,
      details: { field: "username", rule },
    });
    const check = await gate.check(username);
    expect(check.status).toBe(rule === "reserved" ? "reserved" : "invalid");
    if (check.status === "invalid") expect(check.rule).toBe(rule);
  });

  it("leave no rows", async () => {
    expect(await gate.count("users")).toBe(0);
    expect(await gate.count("outbox")).toBe(0);
  });

  it("that are huge fail the schema in signup and check", async () => {
    for (const length of [513, 10_000, 50_000]) {
      const failure = await failureOf(gate.signUp(newPerson("a".repeat(length))));
      expect(failure).toMatchObject({ code: "BAD_REQUEST", details: { field: "username" } });
    }
    expect(await failureOf(gate.check("\u{1f600}".repeat(600)))).toMatchObject({ code: "BAD_REQUEST" });
    // Longer than the URL that Node reads.
    const input = encodeURIComponent(JSON.stringify({ username: "a".repeat(100_000) }));
    const answer = await rawRequest(`${gate.server.url}/api/trpc/username.check?input=${input}`);
    expect(answer.status).toBe(431);
  });
});

describe("spellings of one name", () => {
  const taken = ["bigbird", "jos\u00e9", "kevin", "sam", "strasse", "\u01b0\u01a1ng"];
  beforeAll(async () => {
    for (const name of taken) await gate.signUp(newPerson(name));
    await gate.delivered();
  });

  it.each([
    ["modifier letters", "\u1d2e\u1d35\u1d33\u1d2e\u1d35\u1d3f\u1d30", "bigbird"],
    ["a decomposed accent", "jose\u0301", "jos\u00e9"],
    ["the Kelvin sign", "\u212aevin", "kevin"],
    ["a long s", "\u017fam", "sam"],
    ["a sharp s", "stra\u00dfe", "strasse"],
    ["capitals", "STRASSE", "strasse"],
    ["a capital sharp s", "STRA\u1e9eE", "strasse"],
    ["outer spaces", "\u3000 sam\u2009", "sam"],
  ])("%s: the name is taken", async (_, username, key) => {
    expect(await gate.check(username)).toEqual({ status: "taken", source: "database" });
    const failure = await failureOf(gate.signUp(newPerson(username)));
    expect(failure).toMatchObject({ code: "CONFLICT", details: { field: "username", rule: "taken" } });
    expect(await gate.count("users", `username_key = '${key}'`)).toBe(1);
  });

  it("distinguish a dotless i from a dotted one", async () => {
    await gate.signUp(newPerson("ISTANBUL"));
    expect(await failureOf(gate.signUp(newPerson("\u0131stanbul")))).toMatchObject({
      code: "CONFLICT",
      details: { field: "username", rule: "lookalike" },
    });
  });
});

describe("e-mail addresses and passwords", () => {
  it.each([
    ["NUL", "a\0b@example.com"],
    ["NUL at the end", "ab@example.com\0"],
    ["a lone surrogate", "a\ud83d@example.com"],
    ["no at sign", "example.com"],
    ["nothing", ""],
    ["255 characters", `${"a".repeat(243)}@example.com`],
    ["60,000 characters", `${"a".repeat(60_000)}@example.com`],
  ])("refuses an e-mail address with %s", async (_, email) => {
    const failure = await failureOf(gate.signUp(newPerson("fine-name", { email })));
    expect(failure).toMatchObject({ code: "BAD_REQUEST", details: { field: "email" } });
  });

  it.each([
    ["11 characters", "a".repeat(11)],
    ["129 characters", "a".repeat(129)],
    ["a lone surrogate", `${"a".repeat(12)}\ud83d`],
    ["60,000 characters", "a".repeat(60_000)],
    ["4,096 combining marks", "\u0301".repeat(4_096)],
    ["11 syllables in jamo", "\u1112\u1161\u11ab".repeat(11)],
  ])("refuses a password of %s", async (_, password) => {
    const failure = await failureOf(gate.signUp(newPerson("fine-name", { password })));
    expect(failure).toMatchObject({ code: "BAD_REQUEST", details: { field: "password" } });
    expect(JSON.stringify(failure)).not.toContain(password);
  });

  it("accepts passwords of 12 and of 128 characters, NUL and emoji included", async () => {
    const passwords = [
      "xk9q pz7r mm",
      "three calm herons ".repeat(8).slice(0, 128),
      "with a \0 NUL in it",
      "\u{1f600}\u{1f98a}\u{1f33b}\u{1f9ed} four of twelve",
    ];
    for (const [n, password] of passwords.entries()) {
      const created = await gate.signUp(newPerson(`pass${n}word`, { password }));
      expect(created.username).toBe(`pass${n}word`);
    }
  });

  it.each([
    ["of a list", "password1234", "common", "leaked"],
    ["of a list, in capitals and doubled", "PASSWORDPASSWORD", "common", "leaked"],
    ["that is one character", "a".repeat(12), "common", "leaked"],
    ["with the username", "Mirabelle, my dear", "personal", "username"],
    ["with the name of the address", "my PLUM.TREE in May", "personal", "e-mail address"],
  ])("refuses a password %s, and says why", async (_, password, rule, word) => {
    const person = newPerson("mirabelle", { email: "plum.tree@example.com", password });
    const failure = await failureOf(gate.signUp(person));
    expect(failure).toMatchObject({ code: "BAD_REQUEST", details: { field: "password", rule } });
    expect(failure.message).toContain(word);
    expect(await gate.count("users", "username_key = 'mirabelle'")).toBe(0);
  });

  it.each([
    ["no body", undefined],
    ["null", null],
    ["an array", []],
    ["a number for a name", { username: 7, email: "x@example.com", password: "correct horse battery" }],
    ["an object for a name", { username: {}, email: "x@example.com", password: "correct horse battery" }],
    ["no password", { username: "fine-name", email: "x@example.com" }],
  ])("answers 400 to %s", async (_, input) => {
    const answer = await postJson(`${gate.server.url}/api/trpc/account.signUp`, input, {
      "x-forwarded-for": nextAddress(),
    });
    expect(answer.status).toBe(400);
    expect(answer.json.error.data.code).toBe("BAD_REQUEST");
  });
});
