import { afterAll, beforeAll, expect, it } from "vitest";
import { insertUser } from "../../testing/staff";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database";
import { sweepExpired } from "./sweep-expired";

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

it("deletes the oldest expired rows up to the limit, and no valid ones", async () => {
  const { id: userId } = await insertUser(db.prisma, "viewer", "vera");
  const session = (token: string, minutes: number) => ({
    token,
    userId,
    expiresAt: new Date(Date.now() + minutes * 60_000),
  });
  await db.prisma.session.createMany({
    data: [session("old", -60), session("older", -120), session("fresh", 60)],
  });
  await db.prisma.verification.createMany({
    data: [-1, 1].map(minutes => ({
      identifier: `state ${minutes}`,
      value: "{}",
      expiresAt: new Date(Date.now() + minutes * 60_000),
    })),
  });
  expect(await sweepExpired(db.pool, 1)).toBe(2);
  const tokens = async () => (await db.prisma.session.findMany()).map(({ token }) => token).sort();
  expect(await tokens()).toEqual(["fresh", "old"]);
  expect(await sweepExpired(db.pool)).toBe(1);
  expect(await tokens()).toEqual(["fresh"]);
  expect(await db.prisma.verification.findMany()).toMatchObject([{ identifier: "state 1" }]);
  expect(await sweepExpired(db.pool)).toBe(0);
});

it("finds the rows by an index", async () => {
  const { rows } = await db.pool.query<{ indexdef: string }>(
    "SELECT indexdef FROM pg_indexes WHERE indexdef LIKE '%(expires_at)' ORDER BY 1",
  );
  expect(rows.map(({ indexdef }) => indexdef.split(" ON ")[1])).toEqual([
    "public.idempotency_keys USING btree (expires_at)",
    "public.sessions USING btree (expires_at)",
    "public.verifications USING btree (expires_at)",
  ]);
});
