import { deliverKeys } from "../filter/deliver";
import { createEngines, type Engines } from "../filter/detect-engine";
import { ALL_SHARDS, type FilterVersion, shardCapacityFor, shardOf } from "../filter/layout";
import { liveVersions } from "../filter/versions";
import { type Deliver, relayOnce } from "../outbox/relay";
import { UNGUARDED } from "../store/owner-guard";
import { createPool, type Pool } from "../store/postgres";
import { createRedis, redisIsReady } from "../store/redis";
import { DELIVERY_LOOPS } from "../workers/run-relay";
import { insertUsers, openBenchFixture } from "./bench-fixture";
import { type BenchResult, median } from "./result";

const EVENTS = 100_000;
const BATCH = 5_000;
const ROUNDS = 3;
/** The slow side drains a part of the same queue: its rate does not depend on how long it lasts. */
const ONE_BY_ONE_MS = 5_000;

/** Draining 100,000 outbox events, against one event per round trip: claim, add, mark. */
export async function benchRelay(): Promise<BenchResult> {
  const fixture = await openBenchFixture();
  const redis = createRedis(
    { url: fixture.redisUrl, connectionName: "bench", commandTimeoutMs: 5_000, guard: UNGUARDED },
    error => console.error(error.message),
  );
  const pool = relayPool(fixture.databaseUrl);
  try {
    if (!(await redisIsReady(redis, 10_000))) throw new Error("Redis does not answer");
    const engines = createEngines(redis);
    const version = await makeEmptyVersion(pool, engines);
    await insertUsers(fixture.pool, EVENTS);

    const deliver: Deliver = async keys => deliverKeys(engines, await liveVersions(pool), keys);
    const rounds: { relay: number; oneByOne: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await refill(fixture.pool);
      const oneByOne = await drainOneByOne(
        pool,
        (v, key) => engines[v.engine].add(v, shardOf(key), [key]),
        version,
      );
      await refill(fixture.pool);
      rounds.push({ relay: await drain(pool, deliver), oneByOne });
    }
    return {
      bench: "relay",
      rates: {
        relay: median(rounds.map(round => round.relay)),
        oneByOne: median(rounds.map(round => round.oneByOne)),
      },
      ratios: {
        vsOneByOne: { value: median(rounds.map(round => round.relay / round.oneByOne)), atLeast: 15 },
      },
    };
  } finally {
    redis.disconnect();
    await pool.end();
    await fixture.close();
  }
}

/** Makes every event pending again, and leaves no dead rows for the next side to step over. */
async function refill(pool: Pool): Promise<void> {
  await pool.query(
    "UPDATE outbox SET processed_at = NULL, claimed_by = NULL, claimed_until = NULL, attempts = 0",
  );
  await pool.query("VACUUM ANALYZE outbox");
}

/** Events per second of the relay's own step, in as many loops as the process has, until the queue is empty. */
async function drain(pool: Pool, deliver: Deliver): Promise<number> {
  const startedAt = performance.now();
  let delivered = 0;
  await Promise.all(
    DELIVERY_LOOPS.map(async loop => {
      const options = {
        pool,
        deliver,
        relay: `bench ${loop}`,
        batchSize: BATCH,
        leaseMs: 30_000,
        maxDataErrors: 5,
      };
      while (delivered < EVENTS) {
        const batch = await relayOnce(options);
        delivered += batch.delivered;
      }
    }),
  );
  return (delivered / (performance.now() - startedAt)) * 1_000;
}

/** Events per second of the plain way: one row claimed, added and marked, each in a round trip of its own. */
async function drainOneByOne(
  pool: Pool,
  add: (version: FilterVersion, key: string) => Promise<unknown>,
  version: FilterVersion,
): Promise<number> {
  const startedAt = performance.now();
  let delivered = 0;
  while (performance.now() - startedAt < ONE_BY_ONE_MS) {
    const { rows } = await pool.query<{ seq: string; key: string }>({
      name: "one-claim",
      text: `UPDATE outbox SET claimed_by = 'bench'
             WHERE seq = (SELECT seq FROM outbox WHERE processed_at IS NULL AND dead_at IS NULL
                          ORDER BY seq LIMIT 1 FOR UPDATE SKIP LOCKED)
               AND processed_at IS NULL AND dead_at IS NULL
             RETURNING seq::text, payload->>'key' AS key`,
    });
    const row = rows[0];
    if (!row) break;
    await add(version, row.key);
    await pool.query({
      name: "one-mark",
      text: `UPDATE outbox SET processed_at = clock_timestamp()
             WHERE seq = $1 AND processed_at IS NULL AND dead_at IS NULL`,
      values: [row.seq],
    });
    delivered += 1;
  }
  return (delivered / (performance.now() - startedAt)) * 1_000;
}

/** A live version with 256 empty shards. */
async function makeEmptyVersion(pool: Pool, engines: Engines): Promise<FilterVersion> {
  await pool.query(
    "INSERT INTO filter_versions (version, engine, state, shard_capacity, error_rate) VALUES (1, 'bitmap', 'active', $1, 0.01)",
    [shardCapacityFor(1_000_000)],
  );
  const version = (await liveVersions(pool))[0]!;
  for (const shard of ALL_SHARDS) {
    await engines.bitmap.reserve(version, shard);
    await engines.bitmap.seal(version, shard);
  }
  return version;
}

/** Both sides commit as the relay process does. */
function relayPool(url: string): Pool {
  const pool = {
    url,
    applicationName: "bench relay",
    maxConnections: 6,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 60_000,
    relaxedCommit: true,
  };
  return createPool(pool, error => console.error(error.message));
}
