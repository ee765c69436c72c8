import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, insertUserBySql, type TestDatabase } from "../testing/test-database";
import { violatedConstraint } from "./unique-violation";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.prisma.user.create({ data: user({}) });
});
afterAll(() => database.drop());

type Overrides = Partial<{ id: string; usernameKey: string; usernameSkeleton: string; email: string }>;

const ID = "5f0c7a7e-3c5b-4b58-a9d0-6c1f1f0d2f11";

function user(overrides: Overrides) {
  return {
    id: ID,
    username: "Frank",
    usernameKey: "frank",
    usernameSkeleton: "frank",
    policyVersion: 1,
    email: "frank@example.com",
    name: "Frank",
    ...overrides,
  };
}

const fresh = () => ({
  id: crypto.randomUUID(),
  usernameKey: crypto.randomUUID(),
  usernameSkeleton: crypto.randomUUID(),
  email: `${crypto.randomUUID()}@example.com`,
});

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable("nothing was violated"),
    (error: unknown) => error,
  );

describe("what a UNIQUE violation is about", () => {
  it.each([
    ["the username", { usernameKey: "frank" }, /username_key/, /email|skeleton/],
    ["the e-mail address", { email: "frank@example.com" }, /email/, /username/],
    ["the look-alike form", { usernameSkeleton: "frank" }, /skeleton/, /email|username_key/],
    ["the id", { id: ID }, /id|pkey/, /email|username/],
  ])("is read from Prisma's own error: %s", async (_, clash, named, notNamed) => {
    const error = await failureOf(database.prisma.user.create({ data: user({ ...fresh(), ...clash }) }));
    expect(error).toMatchObject({ code: "P2002" });
    expect(violatedConstraint(error)).toMatch(named);
    expect(violatedConstraint(error)).not.toMatch(notNamed);
  });

  it("is read from a nested write and from an update as well", async () => {
    const id = crypto.randomUUID();
    const account = { accountId: "taken", providerId: "credential" };
    await database.prisma.user.create({ data: { ...user(fresh()), id, accounts: { create: account } } });
    const nested = await failureOf(
      database.prisma.user.create({ data: { ...user(fresh()), accounts: { create: account } } }),
    );
    expect(violatedConstraint(nested)).toMatch(/account_id|provider/);
    expect(violatedConstraint(nested)).not.toMatch(/email|username/);
    const renamed = await failureOf(
      database.prisma.user.update({ where: { id }, data: { usernameKey: "frank" } }),
    );
    expect(violatedConstraint(renamed)).toMatch(/username_key/);
  });

  it("is read inside an interactive transaction as well", async () => {
    const error = await failureOf(
      database.prisma.$transaction(tx =>
        tx.user.create({ data: user({ ...fresh(), usernameKey: "frank" }) }),
      ),
    );
    expect(violatedConstraint(error)).toMatch(/username_key/);
  });

  it("is read from Prisma's error of SQL", async () => {
    const error = await failureOf(
      database.prisma.$executeRaw`
        INSERT INTO users (username, username_key, username_skeleton, policy_version, email, name)
        VALUES ('Frank', 'frank', 'another', 1, 'another@example.com', 'Frank')`,
    );
    expect(violatedConstraint(error)).toMatch(/username_key/);
    expect(violatedConstraint(error)).not.toMatch(/email|skeleton/);
  });

  it("is read from pg's own error", async () => {
    const error = await failureOf(insertUserBySql(database.pool, "frank"));
    expect(violatedConstraint(error)).toBe("users_username_key_unique");
  });

  it("names one constraint when several are violated", async () => {
    const error = await failureOf(database.prisma.user.create({ data: user({ id: crypto.randomUUID() }) }));
    expect(violatedConstraint(error)).toMatch(/username_key/);
  });

  it.each([
    ["a missing row", () => database.prisma.user.delete({ where: { id: crypto.randomUUID() } })],
    [
      "an unregistered key",
      () =>
        database.prisma.session.create({
          data: { token: "t", userId: crypto.randomUUID(), expiresAt: new Date() },
        }),
    ],
    [
      "a check constraint",
      () => database.prisma.user.create({ data: user({ ...fresh(), usernameKey: "x".repeat(129) }) }),
    ],
    ["something that is no error", () => Promise.reject("P2002")],
  ])("is null for %s", async (_, work) => {
    expect(violatedConstraint(await failureOf(work()))).toBeNull();
  });
});
