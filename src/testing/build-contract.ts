import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type BuildOptions,
  type BuildProgress,
  type BuildResult,
  buildShards,
} from "../filter/build/build-shards";
import { readMasterMemory } from "../filter/build/read-master-memory";
import { createEngines } from "../filter/detect-engine";
import type { FilterEngine } from "../filter/engine";
import {
  ALL_SHARDS,
  type EngineName,
  type FilterVersion,
  SHARD_COUNT,
  shardCapacityFor,
  shardOf,
} from "../filter/layout";
import { planRebuild } from "../services/filter/plan-rebuild";
import { masters, type RedisClient } from "../store/redis";
import { committedNames, namesInShard, namesNotIn, shardStates } from "./filter-state";
import { terminateBackends } from "./terminate-backends";
import { createTestDatabase, insertUserBySql, insertUsersBySql, type TestDatabase } from "./test-database";
import { connect } from "./test-redis";
import { waitFor } from "./wait-for";

const CONNECTIONS = "application_name = 'floodgate rebuild'";
const NEVER = new AbortController().signal;

/** Tests of a build, on a real Postgres and a real Redis whose keys may be flushed. */
export function describeBuild(name: EngineName, url: () => string): void {
  describe(`building shards for ${name}`, () => {
    const fixture = new BuildFixture(name);
    beforeAll(() => fixture.connect(url()));
    afterAll(() => fixture.redis.disconnect());
    beforeEach(() => fixture.empty());
    afterEach(() => fixture.database.drop());
    describeBuiltShards(fixture);
    describeCancellation(fixture);
    describeFailures(fixture);
  });
}

class BuildFixture {
  database!: TestDatabase;
  redis!: RedisClient;
  engine!: FilterEngine;
  readonly version: FilterVersion;

  constructor(name: EngineName) {
    this.version = { version: 7, engine: name, shardCapacity: 400, errorRate: 0.01 };
  }

  async connect(url: string): Promise<void> {
    this.redis = await connect(url);
    this.engine = createEngines(this.redis)[this.version.engine];
  }

  async empty(): Promise<void> {
    await Promise.all(masters(this.redis).map(node => node.flushall()));
    this.database = await createTestDatabase();
  }

  build(options: Partial<BuildOptions> = {}): Promise<BuildResult> {
    return buildShards({
      databaseUrl: this.database.url,
      engine: this.engine,
      version: this.version,
      shards: ALL_SHARDS,
      signal: NEVER,
      threads: 2,
      blocksPerThread: 128,
      ...options,
    });
  }

  async sealAll(): Promise<void> {
    await Promise.all(ALL_SHARDS.map(shard => this.engine.seal(this.version, shard)));
  }

  /** Number of connections of a build. */
  async connections(): Promise<number> {
    const { rows } = await this.database.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND ${CONNECTIONS}`,
    );
    return rows[0]!.count;
  }
}

function describeBuiltShards(fixture: BuildFixture): void {
  it("holds every name, also those that plain SQL wrote", async () => {
    await insertUsersBySql(fixture.database.pool, "user", 20_000);
    const strange = [
      "back\\slash",
      "\\N",
      "\\.",
      "new\nline",
      "tab\t",
      "\u0001",
      "x".repeat(128),
      "🙂".repeat(32),
      " ",
    ];
    // Rows of before the constraints may have any bytes.
    await fixture.database.pool.query(
      "ALTER TABLE users DROP CONSTRAINT users_username_key_canonical, DROP CONSTRAINT users_email_canonical",
    );
    for (const key of strange) await insertUserBySql(fixture.database.pool, key);
    await fixture.database.pool.query("DELETE FROM users WHERE username_key LIKE 'user1999_'");
    await fixture.database.pool.query(
      "UPDATE users SET username_skeleton = 'skeleton of ' || username_key WHERE username_key LIKE 'user77%'",
    );
    await fixture.database.pool.query("ANALYZE users");
    const reports: BuildProgress[] = [];
    const { rows, perShard, overfull, peakRssBytes } = await fixture.build({
      onProgress: report => reports.push(report),
    });

    const names = await committedNames(fixture.database.pool);
    expect(rows).toBe(names.length);
    expect(perShard.map(({ shard }) => shard)).toEqual(ALL_SHARDS);
    expect(perShard.reduce((sum, counts) => sum + counts.names, 0)).toBe(names.length);
    expect(perShard.every(({ items, names: all }) => items <= all && items > 0.9 * all)).toBe(true);
    expect(overfull).toEqual([]);
    expect(peakRssBytes).toBeGreaterThan(30_000_000);
    expect(new Set(await shardStates(fixture.engine, fixture.version))).toEqual(new Set(["open"]));
    await fixture.sealAll();
    expect(new Set(await shardStates(fixture.engine, fixture.version))).toEqual(new Set(["sealed"]));
    expect(await namesNotIn(fixture.engine, fixture.version, names)).toEqual([]);
    const released = Array.from({ length: 10 }, (_, i) => `user1999${i}`);
    expect((await namesNotIn(fixture.engine, fixture.version, released)).length).toBeGreaterThan(5);

    expect(reports.at(-1)).toMatchObject({ phase: "loading", rows, shardsLoaded: SHARD_COUNT });
    expect(reports.at(-1)!.estimatedRows).toBeGreaterThan(19_000);
    const seen = reports.map(report => report.rows + report.bytes + report.shardsLoaded);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    await waitFor("the connections to end", async () => (await fixture.connections()) === 0);
  });

  it("builds an empty table", async () => {
    const { rows, overfull } = await fixture.build();
    expect([rows, overfull]).toEqual([0, []]);
    await fixture.sealAll();
    expect(await fixture.engine.lookup(fixture.version, shardOf("alice"), "alice")).toBe("absent");
  });

  it("reads one snapshot, and returns the xmin from which on transactions may be missing", async () => {
    const { pool } = fixture.database;
    await insertUsersBySql(pool, "user", 10_000);
    // Transactions of other databases on this server lower the xmin, too.
    await waitFor("older transactions to end", async () => {
      const { rows } = await pool.query<{ ended: boolean }>(
        "SELECT pg_snapshot_xmin(pg_current_snapshot()) > (SELECT xid FROM outbox LIMIT 1) AS ended",
      );
      return rows[0]!.ended;
    });
    const late = await pool.connect();
    await late.query("BEGIN");
    await insertUserBySql(late, "late");
    const { rows: lateXid } = await late.query<{ xid: string }>("SELECT pg_current_xact_id()::text AS xid");
    let xmin = "";
    let steps = 0;
    const result = await fixture.build({
      onSnapshot: text => {
        xmin = text;
      },
      throttle: async () => {
        steps += 1;
        if (steps !== 2) return;
        await late.query("COMMIT");
        await insertUsersBySql(pool, "after", 500);
      },
    });
    late.release();
    expect(steps).toBeGreaterThan(4);
    expect(result.rows).toBe(10_000);
    expect(result.xmin).toBe(xmin);
    expect(BigInt(xmin)).toBeLessThanOrEqual(BigInt(lateXid[0]!.xid));
    await fixture.sealAll();
    expect(await namesNotIn(fixture.engine, fixture.version, ["late"])).toEqual(["late"]);
    const { rows: missed } = await pool.query<{ key: string }>(
      "SELECT payload->>'key' AS key FROM outbox WHERE xid >= $1::xid8",
      [xmin],
    );
    expect(missed).toHaveLength(501);
  });

  it("builds one shard and does not change the others", async () => {
    const shard = shardOf("alice");
    const names = [...namesInShard(shard, "in", 100), ...namesInShard((shard + 1) % SHARD_COUNT, "out", 100)];
    for (const key of names) await insertUserBySql(fixture.database.pool, key);
    const { rows, perShard } = await fixture.build({ shards: [shard] });
    expect(rows).toBe(200);
    expect(perShard).toMatchObject([{ shard, names: 100 }]);
    const states = await shardStates(fixture.engine, fixture.version);
    expect(states.filter(state => state !== "missing")).toEqual(["open"]);
    expect(states[shard]).toBe("open");
    await fixture.engine.seal(fixture.version, shard);
    expect(await namesNotIn(fixture.engine, fixture.version, names.slice(0, 100))).toEqual([]);
  });

  it("does not load a shard that is too small for its names and the sentinel", async () => {
    const [fits, tooMany] = [shardOf("alice"), shardOf("bob")];
    const small = { ...fixture.version, shardCapacity: 50 };
    const names = [...namesInShard(fits, "a", 49), ...namesInShard(tooMany, "b", 50)];
    for (const key of names) await insertUserBySql(fixture.database.pool, key);
    const { overfull, perShard } = await fixture.build({ version: small, shards: [fits, tooMany] });
    expect(overfull).toEqual([tooMany]);
    expect(perShard).toMatchObject([{ names: 49 }, { names: 50 }]);
    expect(await fixture.engine.probe(small, tooMany)).toBe("missing");
    await fixture.engine.seal(small, fits);
    expect(await namesNotIn(fixture.engine, small, names.slice(0, 49))).toEqual([]);
  });
}

function describeCancellation(fixture: BuildFixture): void {
  describe("when it is cancelled", () => {
    const when: [string, (progress: BuildProgress) => boolean][] = [
      ["when the snapshot is taken", ({ rows }) => rows === 0],
      ["while reading", ({ rows }) => rows > 0],
      ["when it begins to load", ({ phase }) => phase === "loading"],
      ["while loading", ({ shardsLoaded }) => shardsLoaded > 20],
    ];
    it.each(when)("%s, it ends within a second and leaves no connection", async (_, isNow) => {
      await insertUsersBySql(fixture.database.pool, "user", 20_000);
      const controller = new AbortController();
      let abortedAt = 0;
      const building = fixture.build({
        signal: controller.signal,
        onProgress: progress => {
          if (abortedAt > 0 || !isNow(progress)) return;
          abortedAt = performance.now();
          controller.abort(new Error("An operator cancelled it."));
        },
      });
      await expect(building).rejects.toThrow("An operator cancelled it.");
      expect(performance.now() - abortedAt).toBeLessThan(1_000);
      await waitFor("the connections to end", async () => (await fixture.connections()) === 0, 1_000);
      await Promise.all(ALL_SHARDS.map(shard => fixture.engine.drop(fixture.version, shard)));
      expect(new Set(await shardStates(fixture.engine, fixture.version))).toEqual(new Set(["missing"]));
    });

    it("before its start, it does not start", async () => {
      await expect(fixture.build({ signal: AbortSignal.abort(new Error("too late")) })).rejects.toThrow(
        "too late",
      );
      expect(await fixture.connections()).toBe(0);
    });

    it("during a pause, it does not wait for the pause to end", async () => {
      const controller = new AbortController();
      const building = fixture.build({
        signal: controller.signal,
        throttle: () => {
          controller.abort(new Error("cancelled"));
          return new Promise(() => {});
        },
      });
      await expect(building).rejects.toThrow("cancelled");
    });
  });
}

function describeFailures(fixture: BuildFixture): void {
  it("fails when the snapshot has reached its time limit", async () => {
    const building = fixture.build({ timeLimitMs: 300, throttle: () => new Promise(() => {}) });
    await expect(building).rejects.toThrow("0.3 s, its time limit");
    await waitFor("the connections to end", async () => (await fixture.connections()) === 0);
  });

  it.each([
    ["all connections", CONNECTIONS, /users table failed: .*terminat|lost/],
    [
      "the connection that holds the snapshot",
      `${CONNECTIONS} AND query LIKE '%pg_export_snapshot%'`,
      /lost/,
    ],
    [
      "one reader",
      `${CONNECTIONS} AND query NOT LIKE '%pg_export_snapshot%'`,
      /users table failed: .*terminat/,
    ],
  ])("fails with the reason when Postgres ends %s", async (_, where, reason) => {
    await insertUsersBySql(fixture.database.pool, "user", 20_000);
    let steps = 0;
    const building = fixture.build({
      throttle: async () => {
        steps += 1;
        if (steps === 2) await terminateBackends(fixture.database.url, where);
      },
    });
    await expect(building).rejects.toThrow(reason);
    await waitFor("the connections to end", async () => (await fixture.connections()) === 0);
  });

  it("uses the estimated memory", async () => {
    const large = { ...fixture.version, shardCapacity: shardCapacityFor(20_000_000) };
    const { errorRate } = fixture.version;
    const deps = { pool: fixture.database.pool, redis: fixture.redis };
    const plan = () => planRebuild(deps, { capacity: 20_000_000, errorRate });
    const before = await plan();
    const memory = await readMasterMemory(fixture.redis);
    expect(memory.reduce((sum, { shards }) => sum + shards, 0)).toBe(SHARD_COUNT);
    await fixture.build({ version: large });
    const after = await readMasterMemory(fixture.redis);
    for (const { node, neededBytes, usedBytes } of before.masters) {
      const grown = after.find(master => master.node === node)!.usedBytes - usedBytes;
      expect(grown).toBeLessThan(neededBytes);
      expect(grown).toBeGreaterThan(0.4 * neededBytes);
    }
    expect(before.problem).toBe(null);
    await masters(fixture.redis)[0]!.config("SET", "maxmemory", "20mb");
    const { problem } = await plan();
    await masters(fixture.redis)[0]!.config("SET", "maxmemory", "0");
    expect(problem).toMatch(/needs \d+ MiB and has \d+ MiB/);
  });

  it("fails with the reason when there is no database", async () => {
    await expect(fixture.build({ databaseUrl: "postgresql://unknown@127.0.0.1:1/x" })).rejects.toThrow(
      "ECONNREFUSED",
    );
  });
}
