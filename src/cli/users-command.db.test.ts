import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readUsername } from "../domain/username/username-policy";
import { UsageError } from "../runtime/read-options";
import { auditRows } from "../testing/staff";
import { createTestDatabase, type TestDatabase } from "../testing/test-database";
import { runUsersCommand } from "./users-command";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

type Row = { username: string; key?: string; skeleton?: string; email?: string };

/** As another service or an import writes a user. What is left out is as the policy makes it. */
function insert({ username, key, skeleton, email }: Row) {
  const name = readUsername(username);
  const made = name.ok ? name : { key: username, skeleton: username };
  return database.pool.query(
    `INSERT INTO users (username, username_key, username_skeleton, policy_version, email, name)
     VALUES ($1, $2, $3, 1, $4, $1)`,
    [username, key ?? made.key, skeleton ?? made.skeleton, email ?? `${crypto.randomUUID()}@example.com`],
  );
}

async function run(line: string) {
  let text = "";
  const { pool, prisma } = database;
  const print = (part: string) => {
    text += part;
  };
  const code = await runUsersCommand({ pool, prisma, operator: "root", print }, line.split(" "));
  return { code, text };
}

describe("the database refuses what is not canonical", () => {
  it.each<Row>([
    { username: "Mixed", key: "Mixed" },
    { username: "spaced", key: "spaced " },
    { username: "two words", key: "two words" },
    { username: "wide", key: "\uff57ide" },
    { username: "\u00e9mile", key: "e\u0301mile" },
    { username: "ctrl", key: "ct\u0007rl" },
    { username: "mia-1", email: "Mia@example.com" },
    { username: "mia-2", email: "mia@Example.com" },
    { username: "mia-3", email: " mia@example.com" },
    { username: "mia-4", email: "mia@example.com " },
    { username: "mia-5", email: "mia@ex\u00e4mple.com" },
    { username: "mia-6", email: "mia@\uff45xample.com" },
    { username: "mia-7", email: "mia" },
    { username: "mia-8", email: "mi\na@example.com" },
  ])("$username, $key, $email", async row => {
    await expect(insert(row)).rejects.toMatchObject({ code: "23514" });
  });

  it.each<Row>([
    { username: "ordinary", email: "ordinary@example.com" },
    { username: "\u00e9lodie", email: "\u00e9lodie@xn--exmple-cua.com" },
    { username: "quoted", email: '"john smith"@example.com' },
    { username: "local", email: "local@localhost" },
  ])("and takes $username, $email", async row => {
    await insert(row);
  });
});

describe("users -- verify", () => {
  const idOf = async (username: string) =>
    (await database.pool.query("SELECT id FROM users WHERE username = $1", [username])).rows[0].id as string;
  const rowOf = async (username: string) =>
    (
      await database.pool.query(
        "SELECT username_key AS key, username_skeleton AS skeleton, email, policy_version FROM users WHERE username = $1",
        [username],
      )
    ).rows[0];

  beforeAll(async () => {
    for (let n = 0; n < 300; n += 1) await insert({ username: `user${n}` });
    expect(await run("verify")).toEqual({ code: 0, text: expect.stringMatching(/^30\d users are as/) });
    // Rows of before the constraints.
    for (const name of ["users_username_key_canonical", "users_email_canonical"]) {
      const definition = await database.pool.query(
        "SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conname = $1",
        [name],
      );
      dropped.push(`ALTER TABLE users ADD CONSTRAINT ${name} ${definition.rows[0].text} NOT VALID`);
      await database.pool.query(`ALTER TABLE users DROP CONSTRAINT ${name}`);
    }
    await insert({ username: "Shouty", key: "Shouty" });
    await insert({ username: "m0dem", skeleton: "m0dem" });
    await insert({ username: "Upper", email: "Upper@Example.COM" });
    await insert({ username: "umlaut", email: "umlaut@ex\u00e4mple.com" });
    await insert({ username: "first-mia", email: "mia@example.com" });
    await insert({ username: "second-mia", email: "Mia@Example.com" });
    await insert({ username: "third-zoe", email: "ZOE@example.com" });
    await insert({ username: "fourth-zoe", email: "Zoe@example.com" });
    await insert({ username: "USER7", key: "USER7", skeleton: "USER7" });
    await insert({ username: "a", key: "a" });
    await insert({ username: "no-mail", email: "nowhere" });
    for (const text of dropped) await database.pool.query(text);
  });
  const dropped: string[] = [];

  it("lists every row that deviates, and no other one", async () => {
    const { code, text } = await run("verify --json");
    const lines = text
      .trim()
      .split("\n")
      .map(line => JSON.parse(line));
    const counts = lines.pop();
    expect(code).toBe(1);
    expect(counts).toEqual({ checked: 315, deviating: 8, mended: 0, conflicts: 3, remarks: 2 });
    const found = Object.fromEntries(lines.map(line => [line.username, line]));
    expect(Object.keys(found).sort()).toEqual(
      [
        "USER7",
        "Shouty",
        "Upper",
        "a",
        "fourth-zoe",
        "m0dem",
        "no-mail",
        "second-mia",
        "third-zoe",
        "umlaut",
      ].sort(),
    );
    expect(found.Shouty.deviations).toEqual([
      { column: "username_key", stored: "Shouty", expected: "shouty" },
    ]);
    expect(found.m0dem.deviations).toEqual([
      { column: "username_skeleton", stored: "m0dem", expected: "modem" },
    ]);
    expect(found.umlaut.deviations[0].expected).toBe("umlaut@xn--exmple-cua.com");
    expect(found["second-mia"].conflict).toEqual({ column: "email", username: "first-mia" });
    expect(found.USER7.conflict).toEqual({ column: "username_key", username: "user7" });
    // Of two rows that would become one mailbox one can be mended.
    expect([found["third-zoe"].conflict, found["fourth-zoe"].conflict].filter(Boolean)).toHaveLength(1);
    expect(found.a.remarks[0]).toMatch(/at least 3 characters/);
    expect(found["no-mail"].remarks[0]).toMatch(/address is none/);
  });

  it("mends on request what collides with nothing, feeds the filter, and is audited", async () => {
    const { code, text } = await run("verify --mend --reason import");
    expect(code).toBe(1);
    expect(text).toContain("315 users checked: 8 deviate, 5 mended, 3 in conflict.");
    expect(text).toMatch(
      /second-mia {2}email: "Mia@Example.com" -> "mia@example.com" {2}left: first-mia has this/,
    );
    expect(await rowOf("Shouty")).toMatchObject({ key: "shouty", policy_version: 2 });
    expect(await rowOf("m0dem")).toMatchObject({ key: "m0dem", skeleton: "modem" });
    expect((await rowOf("Upper")).email).toBe("upper@example.com");
    expect((await rowOf("second-mia")).email).toBe("Mia@Example.com");
    const events = await database.pool.query(
      "SELECT type, payload FROM outbox WHERE aggregateid = $1 ORDER BY seq DESC LIMIT 1",
      [await idOf("Shouty")],
    );
    expect(events.rows[0]).toEqual({
      type: "username.renamed",
      payload: { v: 1, key: "shouty", previousKey: "Shouty" },
    });
    expect(await auditRows(database.pool, "action = 'users.mend'")).toEqual([
      expect.objectContaining({
        actor_kind: "cli",
        actor_name: "root",
        reason: "import",
        after: { mended: 5, columns: { username_key: 1, username_skeleton: 1, email: 3 } },
      }),
    ]);
    expect((await run("verify --mend --reason again")).text).toContain("3 deviate, 0 mended, 3 in conflict");
    expect(await auditRows(database.pool, "action = 'users.mend'")).toHaveLength(1);
  });

  it("leaves a row that was changed since it was read", async () => {
    const { everyUser, findDeviations } = await import("../services/users/find-deviations");
    const { mendUsers } = await import("../services/users/mend-users");
    await database.pool.query("UPDATE users SET username_skeleton = 'stale' WHERE username = 'user1'");
    const { value: page } = await everyUser(database.pool).next();
    const found = await findDeviations(database.pool, page!);
    await database.pool.query("UPDATE users SET username_skeleton = 'newer' WHERE username = 'user1'");
    const audit = {
      actor: { kind: "cli" as const, id: null, name: "root", role: null },
      action: "users.mend",
    };
    const request = { requestId: null, address: null };
    const mended = await mendUsers(database, Object.assign(audit, request), { found, reason: "a race" });
    expect(mended).toEqual([]);
    expect((await rowOf("user1")).skeleton).toBe("newer");
  });

  it("makes the database vouch for all rows when the last one is decided", async () => {
    const validated = async () =>
      (
        await database.pool.query(
          "SELECT bool_and(convalidated) AS all FROM pg_constraint WHERE conname LIKE 'users_%_canonical'",
        )
      ).rows[0].all;
    expect(await validated()).toBe(false);
    await database.pool.query(
      "DELETE FROM users WHERE username IN ('second-mia', 'fourth-zoe', 'third-zoe', 'USER7', 'no-mail')",
    );
    expect((await run("verify --mend --reason decided")).code).toBe(0);
    expect(await validated()).toBe(true);
  });

  it.each([
    ["verify --mend", "Say why"],
    ["mend", "Give a command"],
    ["", "Give a command"],
    ["verify --all", "--all"],
  ])("refuses %j", async (line, message) => {
    await expect(run(line)).rejects.toThrow(UsageError);
    await expect(run(line)).rejects.toThrow(message);
  });
});
