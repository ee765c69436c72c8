import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { GateHealth } from "../../api/context";
import { inTransaction } from "../../store/postgres";
import { newPerson, TestGate } from "../../testing/server-gate";
import { rawRequest } from "../../testing/server-raw-http";
import { insertUsersBySql } from "../../testing/test-database";
import { metricOf } from "../../testing/test-gate";
import { waitFor } from "../../testing/wait-for";

const FREE = "a-free-name";
const MAX_LAG_MS = 500;

let gate: TestGate;

beforeAll(async () => {
  gate = await TestGate.start({ server: { FILTER_MAX_LAG_MS: MAX_LAG_MS } });
});

afterAll(() => gate.stop());

afterEach(async () => {
  gate.startRelay();
  await gate.delivered();
  await waitForSource("filter");
});

const health = async () => (await rawRequest(`${gate.server.url}/healthz`)).json as GateHealth;
const fallbacks = () => metricOf(gate.server.registry, "db_fallback_total", { reason: "relay_behind" });

/** Waits until a free name is confirmed by the filter alone, or by the database. */
async function waitForSource(source: "filter" | "database"): Promise<void> {
  await waitFor(`the ${source} to answer`, async () => {
    const answer = await gate.check(FREE);
    return answer.status === "available" && answer.source === source;
  });
}

/** The answers for names that the database has. */
async function answersFor(prefix: string, count = 50): Promise<Set<string>> {
  const names = Array.from({ length: count }, (_, n) => `${prefix}${n}`);
  return new Set((await Promise.all(names.map(name => gate.check(name)))).map(({ status }) => status));
}

describe("a relay that is behind", () => {
  it("the database confirms each absence, counted apart, and health says so", async () => {
    await gate.stopRelay();
    await insertUsersBySql(gate.database.pool, "late", 2_000);
    await waitForSource("database");
    const before = await fallbacks();
    expect(await answersFor("late")).toEqual(new Set(["taken"]));
    expect(await fallbacks()).toBe(before + 50);
    const { status, problems } = await health();
    expect(status).toBe("degraded");
    expect(problems.join()).toMatch(
      /The filter lacks names of the last \d+ s: the database confirms that names are free/,
    );
    await expect(gate.signUp(newPerson("late7"))).rejects.toMatchObject({ data: { code: "CONFLICT" } });
    await gate.signUp(newPerson("on-time"));

    gate.startRelay();
    await gate.delivered();
    await waitForSource("filter");
    expect((await health()).problems).toEqual([]);
    expect(await answersFor("late")).toEqual(new Set(["taken"]));
  });

  it("the rows of an import are as old as its transaction when they become visible", async () => {
    await gate.stopRelay();
    await inTransaction(gate.database.pool, async client => {
      await client.query(
        `INSERT INTO users (username, username_key, username_skeleton, policy_version, email, name)
         SELECT n, n, n, 1, n || '@example.com', n FROM (SELECT 'slow' || i AS n FROM generate_series(0, 49) i) names`,
      );
      await client.query("SELECT pg_sleep(1)");
    });
    await waitForSource("database");
    expect(await answersFor("slow")).toEqual(new Set(["taken"]));
  });

  it("a lag that can't be read counts as unknown", async () => {
    await gate.database.pool.query("ALTER TABLE outbox RENAME COLUMN created_at TO created_at_away");
    try {
      await waitForSource("database");
      expect((await health()).status).toBe("degraded");
    } finally {
      await gate.database.pool.query("ALTER TABLE outbox RENAME COLUMN created_at_away TO created_at");
    }
  });

  it("an event that waits for a full shard does not take the proof from the other shards", async () => {
    await gate.stopRelay();
    await insertUsersBySql(gate.database.pool, "stuck", 1);
    await gate.database.pool.query(
      "UPDATE outbox SET last_error = 'ERR filter is full', created_at = created_at - interval '1 hour' WHERE processed_at IS NULL",
    );
    await waitForSource("filter");
    const endMs = performance.now() + 2 * MAX_LAG_MS;
    while (performance.now() < endMs)
      expect(await gate.check(FREE)).toEqual({ status: "available", source: "filter" });
  });
});
