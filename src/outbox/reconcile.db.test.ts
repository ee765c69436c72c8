import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { deliverKeys } from "../filter/deliver";
import { createEngines, type Engines } from "../filter/detect-engine";
import { shardOf } from "../filter/layout";
import { masterIdentities } from "../filter/master-identities";
import { liveVersions, type StoredVersion } from "../filter/versions";
import { type RedisClient, redisIsReady } from "../store/redis";
import { filterKey } from "../store/redis-keys";
import { connect } from "../testing/engine-contract";
import { makeVersion, namesNotIn } from "../testing/filter-state";
import { createTestDatabase, insertUserBySql, type TestDatabase } from "../testing/test-database";
import { TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import { Reconciler, type ReconcilerOptions } from "./reconcile";
import { type Deliver, relayOnce } from "./relay";

const HOUR_MS = 3_600_000;
const signal = new AbortController().signal;

let database: TestDatabase;
let server: TestRedis;
let redis: RedisClient;
let engines: Engines;
let version: StoredVersion;
let replays: { count: number; reason: string }[];

beforeAll(async () => {
  [database, server] = await Promise.all([createTestDatabase(), TestRedis.start()]);
  redis = await connect(server.url);
  engines = createEngines(redis);
});
afterAll(async () => {
  redis.disconnect();
  await Promise.all([database.drop(), server.remove()]);
});
beforeEach(async () => {
  await database.pool.query("TRUNCATE users, outbox, filter_versions, filter_nodes CASCADE");
  await redis.flushall();
  version = await makeVersion(database.pool, engines.bitmap);
  replays = [];
});

const deliver: Deliver = async keys => deliverKeys(engines, await liveVersions(database.pool), keys);

function reconciler(overrides: Partial<ReconcilerOptions> = {}): Reconciler {
  return new Reconciler({
    pool: database.pool,
    deliver,
    identities: () => masterIdentities(redis),
    keptMs: 24 * HOUR_MS,
    recentMs: 300_000,
    onReplayed: (count, reason) => void replays.push({ count, reason }),
    ...overrides,
  });
}

/** Signs a name up by SQL and lets the relay bring it into the filter. */
async function signUp(name: string): Promise<void> {
  await insertUserBySql(database.pool, name);
  const batch = { relay: "relay", batchSize: 100, leaseMs: HOUR_MS, maxDataErrors: 5 };
  expect(await relayOnce({ pool: database.pool, deliver, ...batch })).toMatchObject({ delivered: 1 });
  expect(await namesNotIn(engines.bitmap, version, [name])).toEqual([]);
}

/** Signs a name up, then puts its shard back to the bytes it had before, as a failover does. */
async function signUpAndLose(name: string): Promise<void> {
  const key = filterKey(shardOf(name), version.version);
  const before = await redis.getBuffer(key);
  await signUp(name);
  await redis.set(key, before!);
  expect(await engines.bitmap.lookup(version, shardOf(name), name)).toBe("absent");
}

describe("an acknowledged add that a failover took back", () => {
  it("is added again on request", async () => {
    const one = reconciler();
    await one.look(signal);
    await signUpAndLose("bob");
    await one.look(signal);
    expect(await namesNotIn(engines.bitmap, version, ["bob"])).toEqual(["bob"]);
    one.request();
    await one.look(signal);
    expect(await namesNotIn(engines.bitmap, version, ["bob"])).toEqual([]);
    expect(replays.at(-1)).toEqual({ count: 1, reason: "a write met a read-only node" });
  });

  it("is added again when the server restarts with an older dump, without being asked", async () => {
    const one = reconciler();
    await one.look(signal);
    expect(await server.ask("SAVE")).toBe("OK");
    await signUp("carol");
    await server.kill();
    await server.run();
    expect(await redisIsReady(redis, 20_000)).toBe(true);
    expect(await engines.bitmap.lookup(version, shardOf("carol"), "carol")).toBe("absent");
    await waitFor("a look to succeed", () =>
      one.look(signal).then(
        () => true,
        () => false,
      ),
    );
    expect(await namesNotIn(engines.bitmap, version, ["carol"])).toEqual([]);
  });

  it("is added again when another node takes over", async () => {
    const one = reconciler();
    await one.look(signal);
    await signUpAndLose("dora");
    await server.ask("REPLICAOF", "127.0.0.1", "1");
    await server.ask("REPLICAOF", "NO", "ONE");
    await waitFor("a look to succeed", () =>
      one.look(signal).then(
        () => true,
        () => false,
      ),
    );
    expect(await namesNotIn(engines.bitmap, version, ["dora"])).toEqual([]);
  });

  it("is added again by the regular replay when nothing could be noticed", async () => {
    let now = 1_000_000;
    const one = reconciler({ now: () => now });
    await one.look(signal);
    await signUpAndLose("emil");
    now += 149_000;
    await one.look(signal);
    expect(await namesNotIn(engines.bitmap, version, ["emil"])).toEqual(["emil"]);
    now += 2_000;
    await one.look(signal);
    expect(await namesNotIn(engines.bitmap, version, ["emil"])).toEqual([]);
    expect(replays.at(-1)).toEqual({ count: 1, reason: "regular" });
  });
});

describe("the reconciler", () => {
  it("replays everything kept for a master it never saw, and the recent window on request", async () => {
    await signUp("old");
    await database.pool.query("UPDATE outbox SET processed_at = now() - interval '20 hours'");
    await signUp("recent");
    const one = reconciler();
    await one.look(signal);
    expect(replays).toEqual([{ count: 2, reason: expect.stringContaining("restarted") }]);
    one.request();
    await one.look(signal);
    expect(replays[1]).toMatchObject({ count: 1 });
    await one.look(signal);
    expect(replays).toHaveLength(2);
  });

  it("knows the masters that another relay has seen", async () => {
    await signUp("known");
    await reconciler().look(signal);
    expect(replays).toHaveLength(1);
    await reconciler().look(signal);
    expect(replays).toHaveLength(1);
  });

  it("remembers a master only after the whole replay succeeded", async () => {
    await signUp("again");
    const failing = reconciler({ deliver: async keys => keys.map(() => ({ error: "READONLY" })) });
    await expect(failing.look(signal)).rejects.toThrow("READONLY");
    await reconciler().look(signal);
    expect(replays).toMatchObject([{ count: 1 }]);
  });

  it("does not forget a request whose replay failed", async () => {
    let broken = false;
    const one = reconciler({
      deliver: keys => (broken ? Promise.resolve(keys.map(() => ({ error: "READONLY" }))) : deliver(keys)),
    });
    await one.look(signal);
    await signUpAndLose("frida");
    one.request();
    broken = true;
    await expect(one.look(signal)).rejects.toThrow("READONLY");
    broken = false;
    await one.look(signal);
    expect(await namesNotIn(engines.bitmap, version, ["frida"])).toEqual([]);
  });
});
