import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runUserCommand } from "../cli/user-command";
import { listUsers } from "../services/access/list-users";
import { failureOf, newPerson, nextAddress, TestGate } from "../testing/server-gate";
import { postJson } from "../testing/server-raw-http";
import { cookieFrom } from "../testing/staff";

let gate: TestGate;
beforeAll(async () => {
  gate = await TestGate.start({ server: { SIGNINS_PER_ACCOUNT: 6 } });
});
afterAll(() => gate.stop());

const PASSWORD = "three calm herons 42";
function signIn(email: string, password = PASSWORD) {
  const headers = { "x-forwarded-for": nextAddress(), origin: new URL(gate.server.url).origin };
  return postJson(`${gate.server.url}/api/auth/sign-in/email`, { email, password }, headers);
}
const storedEmail = async (username: string) =>
  (await gate.database.prisma.user.findFirstOrThrow({ where: { username } })).email;
const search = async (text: string) => {
  const page = { page: 1, pageSize: 10, sort: "username", order: "asc" } as const;
  return (await listUsers(gate.database.prisma, { ...page, search: text })).rows.map(row => row.email);
};

/** Spellings of one address, its canonical form, and how it is shown. */
const ADDRESSES: [string, string[], string, string][] = [
  [
    "hangul",
    [
      "kim@\ud55c\uad6d.\ud55c\uad6d",
      "KIM@xn--3e0b707e.XN--3E0B707E",
      "kim@\ud55c\uad6d.\ud55c\uad6d".normalize("NFD"),
    ],
    "kim@xn--3e0b707e.xn--3e0b707e",
    "kim@\ud55c\uad6d.\ud55c\uad6d",
  ],
  [
    "ampersand",
    ["a&b@example.com", "A&B@EXAMPLE.com", '"a&b"@example.com'],
    "a&b@example.com",
    "a&b@example.com",
  ],
  [
    "quoted",
    ['"john doe"@example.com', '"JOHN\\ doe"@example.com'],
    '"john doe"@example.com',
    '"john doe"@example.com',
  ],
  [
    "accented",
    ["ren\u00e9@example.com", "Rene\u0301@example.com"],
    "ren\u00e9@example.com",
    "ren\u00e9@example.com",
  ],
];

describe.each(ADDRESSES)("one mailbox: %s", (username, spellings, canonical, shown) => {
  it("signs up once, under its canonical form", async () => {
    await gate.signUp(newPerson(username, { email: spellings[0], password: PASSWORD }));
    expect(await storedEmail(username)).toBe(canonical);
    for (const [n, email] of spellings.entries()) {
      const failure = await failureOf(gate.signUp(newPerson(`${username}-${n}x`, { email })));
      expect(failure).toMatchObject({ code: "CONFLICT", details: { field: "email" } });
    }
  });

  it("signs in by every spelling, and the user sees the address in its own letters", async () => {
    for (const email of spellings) {
      const cookie = cookieFrom(await signIn(email));
      expect(await gate.client({ cookie }).account.me.query()).toMatchObject({ username, email: shown });
      expect((await gate.client({ cookie }).session.me.query()).user?.email).toBe(shown);
    }
    expect((await signIn(spellings[0]!, "wrong horse battery")).status).toBe(401);
  });

  it("is found by every spelling, and listed in its own letters", async () => {
    for (const text of spellings.slice(0, 2)) {
      if (!text.startsWith('"a&b"')) expect(await search(text)).toContain(shown);
    }
    const listed = await runUserCommand(gate.database.prisma, "root", ["list", "--search", canonical]);
    expect(listed).toContain(shown);
  });
});

describe("other readers of addresses", () => {
  it("the command line creates one user for one mailbox", async () => {
    const create = (name: string, email: string) =>
      runUserCommand(gate.database.prisma, "root", ["create", name, "viewer", "--email", email]);
    await create("library", "desk@B\u00dcCHER.example");
    expect(await storedEmail("library")).toBe("desk@xn--bcher-kva.example");
    await expect(create("library-two", "desk@xn--bcher-kva.example")).rejects.toThrow("taken");
    await expect(create("library-two", "desk@[192.0.2.1]")).rejects.toThrow("--email: An IP address");
  });

  it("search finds the beginning of an address", async () => {
    expect(await search("desk@b\u00fccher.")).toEqual(["desk@b\u00fccher.example"]);
    expect(await search("DESK@")).toEqual(["desk@b\u00fccher.example"]);
  });

  it("sign-in finds the address of a new installation", async () => {
    await gate.signUp(newPerson("first-one", { password: PASSWORD }));
    await gate.database.pool.query("UPDATE users SET email = 'admin@localhost' WHERE username = 'first-one'");
    expect((await signIn("Admin@localhost")).status).toBe(200);
  });

  it("all spellings of an address share one quota", async () => {
    await gate.signUp(newPerson("quota", { email: "quota@\ud55c\uad6d.\ud55c\uad6d" }));
    const spellings = [
      "quota@\ud55c\uad6d.\ud55c\uad6d",
      "QUOTA@xn--3e0b707e.xn--3e0b707e",
      '"quota"@\ud55c\uad6d.xn--3e0b707e',
    ];
    const statuses: number[] = [];
    for (let n = 0; n < 8; n += 1) statuses.push((await signIn(spellings[n % 3]!, "wrong horse")).status);
    expect(statuses.slice(-2)).toEqual([429, 429]);
  });

  it.each([
    ["no address", "nobody"],
    ["an unknown one", "nobody@example.com"],
    ["an IP literal", "nobody@[192.0.2.1]"],
    ["320 characters", `${"a".repeat(308)}@example.com`],
    ["a NUL", "a\0@example.com"],
    ["a lone surrogate", "a\ud83d@example.com"],
  ])("sign-in refuses %s like a wrong password", async (_, email) => {
    const answer = await signIn(email);
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({ code: "INVALID_EMAIL_OR_PASSWORD", message: "Invalid email or password" });
  });
});
