import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { percentile } from "../domain/percentile";
import type { Pool, PoolClient } from "../store/postgres";
import { pendingEvents } from "../testing/outbox-events";
import { createTestDatabase, insertUsersBySql, type TestDatabase } from "../testing/test-database";
import { claim, complete, fail } from "./claim";

const NAMES = 20_000;
const BATCH = 500;
const CLAIM = { relay: "relay", limit: BATCH, leaseMs: 600_000 };

let database: TestDatabase;
let snapshot: PoolClient;
beforeAll(async () => {
  database = await createTestDatabase();
  snapshot = await database.pool.connect();
});
afterAll(async () => {
  snapshot.release(true);
  await database.drop();
});

type Times = { claimMs: number[]; completeMs: number[] };

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  times.push(performance.now() - start);
  return result;
}

/** Claims and completes everything, in batches. */
async function processAll(): Promise<Times & { processed: number }> {
  const times: Times = { claimMs: [], completeMs: [] };
  let processed = 0;
  for (;;) {
    const rows = await timed(times.claimMs, () => claim(database.pool, CLAIM));
    if (rows.length === 0) return { ...times, processed };
    expect(rows.length).toBeLessThanOrEqual(BATCH);
    processed += await timed(times.completeMs, () =>
      complete(
        database.pool,
        rows.map(row => row.seq),
      ),
    );
  }
}

/** EXPLAIN ANALYZE of the statement that `work` sends; rolled back. */
async function explain(work: (pool: Pool) => Promise<unknown>): Promise<string> {
  let seen: { text: string; values: unknown[] } | undefined;
  const recorder = {
    query: async (config: { text: string; values: unknown[] }) => {
      seen = config;
      return { rows: [] };
    },
  } as unknown as Pool;
  await work(recorder);
  const client = await database.pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS) ${seen!.text}`, seen!.values);
    return rows.map(row => row["QUERY PLAN"]).join("\n");
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

const median = (times: number[]) => percentile(times, 0.5);
const figures = (times: number[]) =>
  `median ${median(times).toFixed(1)} ms, worst ${Math.max(...times).toFixed(1)} ms of ${times.length}`;

describe("claims while a snapshot stays open", () => {
  let without: Times;

  it("are measured without a snapshot first", async () => {
    await insertUsersBySql(database.pool, "free", NAMES);
    const result = await processAll();
    expect(result.processed).toBe(NAMES);
    without = result;
    console.log(`no snapshot: claim ${figures(result.claimMs)}; complete ${figures(result.completeMs)}`);
    expect(median(result.claimMs)).toBeLessThan(250);
  });

  it("find all rows, by the index of pending rows, in a bounded time", async () => {
    await snapshot.query("SET idle_in_transaction_session_timeout = 0");
    await snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await snapshot.query("SELECT count(*) FROM users");
    await insertUsersBySql(database.pool, "open", NAMES);
    const result = await processAll();
    expect(result.processed).toBe(NAMES);
    console.log(`open snapshot: claim ${figures(result.claimMs)}; complete ${figures(result.completeMs)}`);
    expect(median(result.claimMs)).toBeLessThan(median(without.claimMs) + 500);

    await insertUsersBySql(database.pool, "fresh", 50);
    const plan = await explain(pool => claim(pool, CLAIM));
    console.log(plan);
    expect(plan).toMatch(/outbox_pending_idx/);
    expect(plan).not.toMatch(/Seq Scan on outbox/);
    const late: number[] = [];
    for (let i = 0; i < 10; i += 1) {
      const rows = await timed(late, () => claim(database.pool, { ...CLAIM, limit: 5 }));
      expect(rows).toHaveLength(5);
    }
    console.log(`open snapshot, 5 rows after ${NAMES} dead tuples: claim ${figures(late)}`);
    expect(median(late)).toBeLessThan(1_000);
    await database.pool.query("UPDATE outbox SET claimed_until = NULL WHERE processed_at IS NULL");
    expect((await processAll()).processed).toBe(50);
    expect(await pendingEvents(database.pool)).toBe(0);
  });

  it("are as fast as before after the snapshot has ended and vacuum has run", async () => {
    await snapshot.query("COMMIT");
    await database.pool.query("VACUUM outbox");
    await insertUsersBySql(database.pool, "after", 50);
    const times: number[] = [];
    for (let i = 0; i < 10; i += 1) {
      const rows = await timed(times, () => claim(database.pool, { ...CLAIM, limit: 5 }));
      expect(rows).toHaveLength(5);
    }
    console.log(`after vacuum: claim ${figures(times)}`);
    const plan = await explain(pool => claim(pool, CLAIM));
    expect(plan).toMatch(/outbox_pending_idx/);
    expect(plan).not.toMatch(/Seq Scan on outbox/);
  });

  it("are completed without a scan of all kept rows", async () => {
    await database.pool.query("VACUUM ANALYZE outbox");
    const { rows } = await database.pool.query<{ seq: string }>(
      "SELECT seq::text FROM outbox WHERE processed_at IS NULL LIMIT 50",
    );
    const seqs = rows.map(row => row.seq);
    expect(seqs).toHaveLength(50);
    expect(await explain(pool => complete(pool, seqs))).not.toMatch(/Seq Scan on outbox/);
    const failures = seqs.map(seq => ({ seq, error: "x", retryInMs: 1, isDataError: false, isDead: false }));
    expect(await explain(pool => fail(pool, failures))).not.toMatch(/Seq Scan on outbox/);
  });
});
