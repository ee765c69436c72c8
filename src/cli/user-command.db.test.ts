import { afterAll, beforeAll, expect, it } from "vitest";
import { verifyPassword } from "../services/access/hash-password";
import { auditRows } from "../testing/staff";
import { createTestDatabase, type TestDatabase } from "../testing/test-database";
import { runUserCommand } from "./user-command";

let db: TestDatabase;
const run = (line: string) => runUserCommand(db.prisma, "root", line.split(" "));
const opens = async (username: string, password: string) => {
  const where = { user: { username } };
  const { password: hash } = await db.prisma.account.findFirstOrThrow({ where });
  return verifyPassword(hash!, password);
};
const passwordIn = (output: string) => /[a-z2-9]{6}(-[a-z2-9]{6}){3}/.exec(output)![0];

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

it("creates, changes, disables and lists staff, and audits each change", async () => {
  const first = passwordIn(await run("create Olga operator --email Olga@Example.com"));
  expect(await opens("Olga", first)).toBe(true);
  expect(await run("role OLGA admin --reason promoted")).toBe("Olga is admin now.\n");
  const second = passwordIn(await run("password olga"));
  expect([await opens("Olga", first), await opens("Olga", second)]).toEqual([false, true]);
  await run("create second admin --email second@example.com");
  expect(await run("disable olga")).toBe("Olga is disabled.\n");
  expect(await run("list")).toMatch(/admin\tsecond\t.*\nadmin\tOlga\tolga@example.com\tdisabled /);
  expect(await run("enable olga")).toBe("Olga is enabled.\n");
  const rows = await auditRows(db.pool, "actor_kind = 'cli' AND actor_name = 'root'");
  expect(rows.map(row => row.action).reverse()).toEqual([
    "user.create",
    "user.setRole",
    "user.password",
    "user.create",
    "user.disable",
    "user.disable",
  ]);
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${first}|${second}`));
});

it.each([
  ["", "There is no command"],
  ["dance olga", "There is no command dance"],
  ["role olga king", "The role is one of"],
  ["role no-such-user admin", "There is no user no-such-user"],
  ["create ab viewer --email a@example.com", "3 "],
  ["create fine viewer", "--email"],
  ["create fine viewer --email nonsense", "--email"],
  ["create Olga viewer --email new@example.com", "taken"],
  ["create fine viewer --email olga@example.com", "taken"],
  ["list --colour red", "--colour"],
])("refuses %s", async (line, message) => {
  await expect(run(line)).rejects.toThrow(message);
});

it("refuses to demote the last admin", async () => {
  await run("role second viewer");
  await expect(run("role olga viewer")).rejects.toThrow("the last admin");
});
