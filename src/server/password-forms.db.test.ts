import { hash } from "@node-rs/argon2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPerson, nextAddress, TestGate } from "../testing/server-gate";
import { postJson } from "../testing/server-raw-http";

let gate: TestGate;

beforeAll(async () => {
  gate = await TestGate.start();
});
afterAll(() => gate.stop());

async function statusOf(username: string, password: string): Promise<number> {
  const headers = { "x-forwarded-for": nextAddress(), origin: new URL(gate.server.url).origin };
  const url = `${gate.server.url}/api/auth/sign-in/username`;
  return (await postJson(url, { username, password }, headers)).status;
}

async function setStoredHash(username: string, password: string): Promise<void> {
  await gate.database.pool.query(
    "UPDATE accounts SET password = $2 FROM users u WHERE u.id = user_id AND u.username_key = $1",
    [username, await hash(password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 })],
  );
}

const SPELLINGS: [string, string, string][] = [
  ["composed", "decomposed", "caf\u00e9 au lait noir"],
  ["syllables", "jamo", "\ubc14\ub2e4 \uc704\uc758 \uc791\uc740 \ubc30 \ud558\ub098"],
  ["Vietnamese", "decomposed", "b\u1ea7u tr\u1eddi m\u00f9a thu"],
];

describe("one password on two keyboards", () => {
  it.each(SPELLINGS)(
    "signs in when it is made %s and typed %s, and the other way",
    async (from, _, plain) => {
      const [made, typed] = [plain.normalize("NFC"), plain.normalize("NFD")];
      const name = `first-${from}`.toLowerCase();
      await gate.signUp(newPerson(name, { password: made }));
      expect([await statusOf(name, made), await statusOf(name, typed)]).toEqual([200, 200]);
      await gate.signUp(newPerson(`${name}-too`, { password: typed }));
      expect([await statusOf(`${name}-too`, made), await statusOf(`${name}-too`, typed)]).toEqual([200, 200]);
    },
  );

  it.each([
    ["nbsp", "three\u00a0calm\u00a0herons 42", "three calm herons 42"],
    ["ideographic", "three\u3000calm\u3000herons 42", "three calm herons 42"],
    ["ogham", "three\u1680calm herons 42", "three calm herons 42"],
    ["full-width", "three calm herons \uff14\uff12", "three calm herons 42"],
  ])("signs in with %s characters for plain ones", async (name, special, plain) => {
    await gate.signUp(newPerson(name, { password: special }));
    expect([await statusOf(name, plain), await statusOf(name, special)]).toEqual([200, 200]);
    expect(await statusOf(name, plain.toUpperCase())).toBe(401);
    expect(await statusOf(name, ` ${plain}`)).toBe(401);
  });

  it("is the same sign-up when it is repeated from the other keyboard", async () => {
    const person = newPerson("repeated", { password: "caf\u00e9 au lait noir" });
    await gate.signUp(person);
    const again = await gate.signUp({ ...person, password: person.password.normalize("NFD") });
    expect(again).toEqual({ username: "repeated", signedIn: true });
  });

  it("is as long as its normal form: 128 syllables in jamo sign in", async () => {
    const syllables = "\ubc14\ub2e4\uc704\uc758\uc791\uc740\ubc30\ud558".repeat(16);
    await gate.signUp(newPerson("longest", { password: syllables.normalize("NFD") }));
    expect(await statusOf("longest", syllables)).toBe(200);
    expect(await statusOf("longest", syllables.normalize("NFD"))).toBe(200);
  });
});

describe("a hash from before the normal form", () => {
  it("opens with the text that was typed then, and not with another form of it", async () => {
    const old = "cafe\u0301\u00a0au lait noir";
    await gate.signUp(newPerson("oldhash"));
    await setStoredHash("oldhash", old);
    expect(await statusOf("oldhash", old)).toBe(200);
    expect(await statusOf("oldhash", old.normalize("NFC"))).toBe(401);
    await setStoredHash("oldhash", "plain old password");
    expect(await statusOf("oldhash", "plain old password")).toBe(200);
    expect(await statusOf("oldhash", "plain\u00a0old password")).toBe(200);
  });
});

describe("text that is no password", () => {
  it.each([
    ["a lone surrogate for the replacement character", "three calm herons \ud83d"],
    ["4,096 combining marks", "\u0301".repeat(4_096)],
    ["a NUL at the end", "three calm herons \ufffd\0"],
    ["nothing", ""],
  ])("does not sign in, and is no fault: %s", async (_, password) => {
    if ((await gate.count("users", "username_key = 'replaced'")) === 0)
      await gate.signUp(newPerson("replaced", { password: "three calm herons \ufffd" }));
    expect([400, 401]).toContain(await statusOf("replaced", password));
    expect([400, 401]).toContain(await statusOf("no-such-user", password));
  });
});
