import { expect, it } from "vitest";
import { masterIdentities } from "../../filter/master-identities";
import { readVersion, setProgress } from "../../filter/versions";
import { readFilterStatus } from "../../services/filter/read-filter-status";
import { filterFixture } from "../../testing/filter-fixture";
import { makeVersion } from "../../testing/filter-state";
import { insertUsersBySql } from "../../testing/test-database";
import { startTestFilter } from "../../testing/test-gate";
import { waitFor } from "../../testing/wait-for";

const fixture = filterFixture();

it("a verification that always fails ends, and viewers see no text of Postgres or Redis", async () => {
  const { pool, prisma, redis, bitmap } = fixture;
  await insertUsersBySql(pool, "name", 10);
  await makeVersion(pool, bitmap, { state: "active" });
  await makeVersion(pool, bitmap, { state: "verifying" });
  const memory = (await masterIdentities(redis)).join(" ");
  await setProgress(pool, 1, { tries: 9 });
  await setProgress(pool, 2, { memory, verifications: 9 });
  await pool.query("UPDATE filter_versions SET verify_request = 'sample' WHERE version = 1");
  await pool.query("ALTER TABLE users RENAME COLUMN username_key TO hidden_key");
  const filter = startTestFilter(fixture.urls);
  try {
    await waitFor("v2 to fail", async () => (await readVersion(pool, 2))?.state === "failed", 30_000);
    await waitFor("the request to be withdrawn", async () => {
      return (await readVersion(pool, 1))?.verifyRequest === null;
    });
  } finally {
    await filter.stop();
  }
  expect((await prisma.filterVersion.findUniqueOrThrow({ where: { version: 2 } })).failure).toMatch(
    /verification failed 10 times. Last error: Redis or Postgres/,
  );
  const shown = JSON.stringify(await readFilterStatus({ pool, redis, prisma, approvals: 1 }));
  expect(shown).toContain("log of the filter worker");
  for (const secret of ["username_key", "column", memory]) expect(shown).not.toContain(secret);
  const audit = await prisma.auditEntry.findMany({ where: { outcome: "failed" } });
  expect(audit.map(({ target }) => target)).toEqual(expect.arrayContaining(["filter:v1", "filter:v2"]));
});
