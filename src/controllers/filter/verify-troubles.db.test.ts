import { afterAll, beforeAll, expect, it } from "vitest";
import { createEngines } from "../../filter/detect-engine";
import { masterIdentities } from "../../filter/master-identities";
import { readVersion, setProgress } from "../../filter/versions";
import { readFilterStatus } from "../../services/filter/read-filter-status";
import type { RedisClient } from "../../store/redis";
import { connect } from "../../testing/engine-contract";
import { makeVersion } from "../../testing/filter-state";
import { createTestDatabase, insertUsersBySql, type TestDatabase } from "../../testing/test-database";
import { startTestFilter } from "../../testing/test-gate";
import { TestRedis } from "../../testing/test-redis";
import { waitFor } from "../../testing/wait-for";

let database: TestDatabase;
let server: TestRedis;
let redis: RedisClient;

beforeAll(async () => {
  [server, database] = await Promise.all([TestRedis.start(), createTestDatabase()]);
  redis = await connect(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await database.drop();
  await server.remove();
});

it("a verification that always fails ends, and viewers read nothing of what Postgres or Redis said", async () => {
  const { pool, prisma } = database;
  const { bitmap } = createEngines(redis);
  await insertUsersBySql(pool, "name", 10);
  await makeVersion(pool, bitmap, { state: "active" });
  await makeVersion(pool, bitmap, { state: "verifying" });
  const memory = (await masterIdentities(redis)).join(" ");
  await setProgress(pool, 1, { tries: 9 });
  await setProgress(pool, 2, { memory, verifications: 9 });
  await pool.query("UPDATE filter_versions SET verify_request = 'sample' WHERE version = 1");
  await pool.query("ALTER TABLE users RENAME COLUMN username_key TO hidden_key");
  const filter = startTestFilter({ databaseUrl: database.url, redisUrl: server.url });
  try {
    await waitFor("v2 to be given up", async () => (await readVersion(pool, 2))?.state === "failed", 30_000);
    await waitFor("the request to be taken back", async () => {
      return (await readVersion(pool, 1))?.verifyRequest === null;
    });
  } finally {
    await filter.stop();
  }
  expect((await prisma.filterVersion.findUniqueOrThrow({ where: { version: 2 } })).failure).toMatch(
    /not be verified in 10 tries, at last: Redis or Postgres/,
  );
  const shown = JSON.stringify(await readFilterStatus({ pool, redis, prisma, approvals: 1 }));
  expect(shown).toContain("log says what");
  for (const secret of ["username_key", "column", memory]) expect(shown).not.toContain(secret);
  const audit = await prisma.auditEntry.findMany({ where: { outcome: "failed" } });
  expect(audit.map(({ target }) => target)).toEqual(expect.arrayContaining(["filter:v1", "filter:v2"]));
});
