import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { percentile } from "../domain/percentile";
import { runLoop } from "../runtime/run-loop";
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, masters, type RedisClient, redisIsReady } from "../store/redis";
import { filterKey } from "../store/redis-keys";
import { describeBuild } from "../testing/build-contract";
import { describeEngine } from "../testing/engine-contract";
import { activeVersion, namesInShard, shardStates } from "../testing/filter-state";
import { pendingEvents } from "../testing/outbox-events";
import { TestCluster } from "../testing/test-cluster";
import {
  createTestDatabase,
  insertUserBySql,
  insertUsersBySql,
  type TestDatabase,
} from "../testing/test-database";
import { startTestWorkers } from "../testing/test-gate";
import type { TestRedis } from "../testing/test-redis";
import { connect } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import { createEngines } from "./detect-engine";
import { ALL_SHARDS, type FilterVersion, SHARD_COUNT } from "./layout";
import { PointerFollower } from "./pointer";
import { type FilterAnswer, FilterReader } from "./reader";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start();
});
afterAll(() => cluster.remove());

describeEngine("bitmap", () => cluster.urls);
describeBuild("bitmap", () => cluster.urls);

describe("256 shards on a cluster", () => {
  const version: FilterVersion = { version: 777, engine: "bitmap", shardCapacity: 100, errorRate: 0.01 };
  let redis: RedisClient;
  beforeAll(async () => {
    redis = await connect(cluster.urls);
    const { bitmap } = createEngines(redis);
    await Promise.all(ALL_SHARDS.map(shard => bitmap.reserve(version, shard)));
    await Promise.all(ALL_SHARDS.map(shard => bitmap.add(version, shard, ["u1"])));
    await Promise.all(ALL_SHARDS.map(shard => bitmap.seal(version, shard)));
  });
  afterAll(() => redis.disconnect());

  it("are distributed over all nodes", async () => {
    expect(masters(redis)).toHaveLength(3);
    for (const node of masters(redis)) expect(await node.dbsize()).toBeGreaterThan(50);
  });

  it("are read one by one and in parallel, without a MOVED error", async () => {
    const { bitmap } = createEngines(redis);
    const moved = await cluster.errorCount("MOVED");
    const singly: string[] = [];
    for (const shard of ALL_SHARDS) singly.push(await bitmap.lookup(version, shard, "u1"));
    const together = await Promise.all(ALL_SHARDS.map(shard => bitmap.lookup(version, shard, "u1")));
    const states = await Promise.all(ALL_SHARDS.map(shard => bitmap.probe(version, shard)));
    const adds = await Promise.all(ALL_SHARDS.map(shard => bitmap.add(version, shard, ["u2"])));
    expect(singly).toEqual(ALL_SHARDS.map(() => "maybe"));
    expect(together).toEqual(ALL_SHARDS.map(() => "maybe"));
    expect(states).toEqual(ALL_SHARDS.map(() => "sealed"));
    expect(adds.flat()).toEqual(ALL_SHARDS.map(() => "added"));
    expect((await cluster.errorCount("MOVED")) - moved).toBe(0);
  });

  it("are routed without a MOVED error by the script for other commands", async () => {
    const moved = await cluster.errorCount("MOVED");
    const lengths = await Promise.all(
      ALL_SHARDS.map(shard => redis.keyed(filterKey(shard, version.version), "STRLEN")),
    );
    expect(new Set(lengths).size).toBe(1);
    expect((await cluster.errorCount("MOVED")) - moved).toBe(0);
  });

  it("never answer absent to a client with a wrong slot map", async () => {
    const stale = await connect(cluster.nodes[0]!.url);
    const { bitmap } = createEngines(stale);
    const answers = await Promise.all(
      ALL_SHARDS.map(shard => bitmap.lookup(version, shard, "absent").catch(() => "refused")),
    );
    expect(answers).toContain("refused");
    expect(await bitmap.lookup(version, 0x00, "u1").catch(() => "refused")).not.toBe("absent");
    for (const [shard, answer] of answers.entries()) {
      const owner = await cluster.ownerOf(filterKey(shard, version.version));
      if (owner !== cluster.nodes[0]) expect(answer).not.toBe("absent");
    }
    stale.disconnect();
  });
});

describe("the gate on a cluster", () => {
  let database: TestDatabase;
  let redis: RedisClient;
  let pointer: PointerFollower;
  let reader: FilterReader;
  let cleanups: (() => unknown)[];
  /** One unused name per shard. */
  const absent = ALL_SHARDS.map(shard => namesInShard(shard, "absent", 1)[0]!);

  beforeEach(async () => {
    database = await createTestDatabase();
    redis = createRedis(
      { url: cluster.urls, connectionName: "test gate", commandTimeoutMs: 300, guard: UNGUARDED },
      () => {},
    );
    await redisIsReady(redis, 20_000);
    await Promise.all(masters(redis).map(node => node.flushall()));
    pointer = new PointerFollower(redis);
    reader = new FilterReader(redis, createEngines(redis), { pointer, deadlineMs: 150 });
    const following = runLoop({
      name: "pointer",
      everyMs: 50,
      maxBackoffMs: 200,
      step: async () => {
        await pointer.refresh();
        return "idle";
      },
      onError: () => {},
    });
    const relay = startTestWorkers(
      { databaseUrl: database.url, redisUrl: cluster.urls },
      { relay: { RELAY_TIMEOUT_MS: 300 }, filter: { FILTER_CAPACITY: 10_000 } },
    );
    cleanups = [() => relay.stop(), () => following.stop(), () => redis.disconnect(), () => database.drop()];
  });
  afterEach(async () => {
    for (const cleanup of cleanups) await cleanup();
  });

  async function waitForFilter(): Promise<void> {
    await waitFor("the pointer", () => pointer.current !== null);
    const { bitmap } = createEngines(redis);
    const version = (await activeVersion(database.pool))!;
    await waitFor("256 sealed shards", async () => {
      const states = await shardStates(bitmap, version).catch(() => []);
      return states.length === SHARD_COUNT && states.every(state => state === "sealed");
    });
  }

  it("knows a sign-up by plain SQL", async () => {
    await waitForFilter();
    expect(await reader.lookup("alice")).toEqual({ answer: "absent" });
    await insertUserBySql(database.pool, "alice");
    await waitFor("the name to be in the filter", async () => {
      return (await reader.lookup("alice")).answer === "maybe";
    });
    const names = await insertUsersBySql(database.pool, "bulk", 1_000);
    await waitFor("the outbox to be empty", async () => (await pendingEvents(database.pool)) === 0);
    // In small batches: the deadline of one lookup is too short for all of them on a busy machine.
    for (let from = 0; from < names.length; from += 50) {
      const answers = await Promise.all(names.slice(from, from + 50).map(name => reader.lookup(name)));
      expect(answers.filter(({ answer }) => answer !== "maybe")).toEqual([]);
    }
  });

  it("loses only the shards of a node that does not answer, and gets them back without a restart", async () => {
    await waitForFilter();
    const version = pointer.current!.version;
    const paused: TestRedis = await cluster.ownerOf(filterKey(0, version));
    const owners = await Promise.all(ALL_SHARDS.map(shard => cluster.ownerOf(filterKey(shard, version))));
    const lost = absent.filter((_, shard) => owners[shard] === paused);
    const healthy = absent.filter((_, shard) => owners[shard] !== paused);
    expect(lost.length).toBeGreaterThan(50);
    expect(healthy.length).toBeGreaterThan(100);

    paused.pause();
    try {
      await waitFor("the breaker to open", async () => {
        await Promise.all(lost.slice(0, 10).map(name => reader.lookup(name)));
        return reader.openBreakers.length > 0;
      });
      const times: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        const answers = await Promise.all(healthy.map(name => reader.lookup(name)));
        expect(new Set(answers.map(({ answer }) => answer))).toEqual(new Set(["absent"]));
        for (const name of lost) {
          const start = performance.now();
          const answer: FilterAnswer = await reader.lookup(name);
          times.push(performance.now() - start);
          expect(answer.answer).toBe("unavailable");
        }
      }
      const [median, worst] = [percentile(times, 0.5), Math.max(...times)];
      console.log(
        `paused node: median ${median.toFixed(2)} ms, worst ${worst.toFixed(0)} ms of ${times.length}`,
      );
      expect(median).toBeLessThan(20);
      expect(worst).toBeLessThan(2_000);
      expect(reader.openBreakers).toHaveLength(1);

      // The other nodes mark it as failed, and continue to answer.
      const witness = cluster.nodes.find(node => node !== paused)!;
      await waitFor("the cluster to mark the node as failed", async () =>
        /fail/.test(String(await witness.ask("CLUSTER", "NODES"))),
      );
      await waitFor("healthy shards to answer", async () => {
        const answers = await Promise.all(healthy.map(name => reader.lookup(name)));
        return answers.every(({ answer }) => answer === "absent");
      });
      for (const name of lost) expect((await reader.lookup(name)).answer).toBe("unavailable");
    } finally {
      paused.resume();
    }
    await insertUsersBySql(database.pool, "meanwhile", 200);
    await waitFor("every shard to answer", async () => {
      const answers = await Promise.all(absent.map(name => reader.lookup(name)));
      return answers.every(({ answer }) => answer === "absent");
    });
    await waitFor("the outbox to be empty", async () => (await pendingEvents(database.pool)) === 0);
    expect(reader.openBreakers).toEqual([]);
  });
});
