import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestPool } from "../testing/open-test-pool";
import { createTestDatabase, runSql, type TestDatabase } from "../testing/test-database";
import { ensurePgbouncer, TestPgbouncer } from "../testing/test-pgbouncer";
import { createPrisma } from "./postgres";

let database: TestDatabase;
let bouncer: TestPgbouncer;
const hasPgbouncer = await ensurePgbouncer();

beforeAll(async () => {
  database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  // Half an hour off, and a day apart from UTC for a part of each day.
  await runSql(database.url, `ALTER DATABASE "${name}" SET TimeZone = 'Asia/Kolkata'`);
  if (hasPgbouncer) bouncer = await TestPgbouncer.start(database.url);
});
afterAll(async () => {
  await bouncer?.stop();
  await database.drop();
});

const WAYS = hasPgbouncer ? ["directly", "through PgBouncer"] : ["directly"];
const open = (way: string, maxConnections = 4) =>
  openTestPool(way === "directly" ? database.url : bouncer.url, { applicationName: way, maxConnections });

describe.each(WAYS)("a connection %s", way => {
  it("reads instants alike in every time zone of the database", async () => {
    const pool = open(way);
    const prisma = createPrisma(pool);
    const expiresAt = new Date("2031-01-02T03:04:05.678Z");
    const token = await prisma.serviceToken.create({
      data: { name: way, hash: way, role: "viewer", createdBy: "test", expiresAt },
    });
    expect(token.expiresAt).toEqual(expiresAt);
    expect(Math.abs(token.createdAt.getTime() - Date.now())).toBeLessThan(60_000);
    const found = await prisma.serviceToken.findFirst({ where: { expiresAt, name: way } });
    expect(found?.id).toBe(token.id);
    const { rows } = await pool.query("SELECT expires_at FROM service_tokens WHERE name = $1", [way]);
    expect(rows[0].expires_at).toEqual(expiresAt);
  });

  it("runs named statements from many clients at once, in transactions and without", async () => {
    const pools = Array.from({ length: 5 }, () => open(way));
    const sums = await Promise.all(
      Array.from({ length: 300 }, async (_, n) => {
        const pool = pools[n % pools.length]!;
        const { rows } = await pool.query({ name: "sum", text: "SELECT $1::int + 1 AS sum", values: [n] });
        const { rows: again } = await pool.query({ name: `s${n % 3}`, text: `SELECT ${n % 3} AS n` });
        return [rows[0].sum, again[0].n];
      }),
    );
    expect(sums).toEqual(Array.from({ length: 300 }, (_, n) => [n + 1, n % 3]));
  });
});

it("the server ends a statement that takes too long", async () => {
  const pool = open("directly", 1);
  await expect(pool.query("SELECT pg_sleep(10)")).rejects.toMatchObject({ code: "57014" });
}, 15_000);

it.skipIf(!hasPgbouncer)("leaves no setting behind in a session that others use", async () => {
  const pool = open("through PgBouncer");
  await Promise.all(Array.from({ length: 40 }, () => pool.query("SELECT pg_sleep(0.01)")));
  const others = open("directly");
  // Of the sessions that PgBouncer holds: a plain client gets one of them for each statement.
  const plain = new pg.Client({ connectionString: bouncer.url });
  await plain.connect();
  for (let n = 0; n < 8; n += 1) {
    const { rows } = await plain.query(
      "SELECT current_setting('statement_timeout') AS timeout, current_setting('synchronous_commit') AS sync",
    );
    expect(rows).toEqual([{ timeout: "0", sync: "on" }]);
  }
  await plain.end();
  expect((await others.query("SHOW statement_timeout")).rows).toEqual([{ statement_timeout: "5s" }]);
});
