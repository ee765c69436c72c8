import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ReplicationSlotWatch } from "../process/replication-slot-watch";
import { freePort } from "../runtime/ports";
import { readReplicationSlots } from "../store/replication-slots";
import { type MigratedPostgres, startMigratedPostgres } from "../testing/migrated-postgres";
import { rawRequest } from "../testing/server-raw-http";
import { insertToken } from "../testing/staff";
import { startTestRelay, startTestServer, type Urls } from "../testing/test-gate";
import { TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";

const MB = 1_048_576;
const NO_LIMIT_MB = 1_000_000;
const BOUNDS = { WAL_HELD_MAX_MB: 0 };
let postgres: MigratedPostgres;
let redis: TestRedis;
let urls: Urls;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([startMigratedPostgres(), TestRedis.start()]);
  urls = { databaseUrl: postgres.url, redisUrl: redis.url };
});
afterEach(async () => {
  await postgres.pool.query(
    "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active",
  );
});
afterAll(async () => {
  await redis.remove();
  await postgres.stop();
});

const createSlot = (name: string) =>
  postgres.pool.query("SELECT pg_create_physical_replication_slot($1, true)", [name]);

/** Writes some kB of WAL. */
const writeWal = () =>
  postgres.pool.query(
    "SELECT pg_logical_emit_message(false, 'test', repeat('x', 100000)) FROM generate_series(1, 10)",
  );

const watchOf = (maxMb: number) => new ReplicationSlotWatch(postgres.pool, maxMb * MB);

describe("the reading", () => {
  it("has no slot and no problem at first", async () => {
    const watch = watchOf(0);
    expect([watch.current, watch.problem]).toEqual([null, null]);
    await watch.look();
    expect(watch.current).toEqual({ slots: [], keepMaxBytes: 1_024 * MB, alertBytes: 0 });
    expect(watch.problem).toBeNull();
  });

  it("tells what an unread slot holds, and the limit that npm start sets", async () => {
    await createSlot("unread");
    await writeWal();
    const watch = watchOf(0);
    await watch.look();
    expect(watch.current).toEqual({
      slots: [{ name: "unread", isActive: false, walStatus: "reserved", heldBytes: expect.any(Number) }],
      keepMaxBytes: 1_024 * MB,
      alertBytes: 0,
    });
    expect(watch.current!.slots[0]!.heldBytes).toBeGreaterThan(1_000_000);
    expect(watch.problem).toMatch(
      /^Replication slot unread has no consumer and holds [\d.]+ (kB|MB) of WAL\./,
    );
    expect(watch.problem).toContain("SELECT pg_drop_replication_slot('unread')");
    const tolerant = watchOf(512);
    await tolerant.look();
    expect(tolerant.problem).toBeNull();
  });

  it("has the slot that holds most first, and a slot without WAL last", async () => {
    await createSlot("older");
    await writeWal();
    // A physical slot begins at the last checkpoint.
    await postgres.pool.query("CHECKPOINT");
    await createSlot("newer");
    await postgres.pool.query("SELECT pg_create_physical_replication_slot('empty')");
    const { slots } = await readReplicationSlots(postgres.pool);
    expect(slots.map(({ name }) => name)).toEqual(["older", "newer", "empty"]);
    expect(slots[2]).toMatchObject({ walStatus: null, heldBytes: null });
  });

  it("has no problem with a slot that is read", async () => {
    await createSlot("streamed");
    const consumer = new pg.Client({
      connectionString: postgres.url,
      // pg passes it on as it is: the server then speaks the replication protocol.
      replication: "true",
    } as pg.ClientConfig & { replication: string });
    consumer.on("error", () => {});
    await consumer.connect();
    onTestFinished(() => consumer.end());
    void consumer.query("START_REPLICATION SLOT streamed PHYSICAL 0/1000000").catch(() => {});
    const watch = watchOf(0);
    await waitFor("the slot to be active", async () => {
      await watch.look();
      return watch.current!.slots[0]!.isActive;
    });
    expect(watch.problem).toBeNull();
  });

  it("is unknown for a role that may not see the slots, and costs nothing else", async () => {
    await postgres.pool.query("REVOKE SELECT ON pg_replication_slots FROM PUBLIC");
    await postgres.pool.query("CREATE ROLE guest LOGIN PASSWORD 'guest'");
    onTestFinished(async () => {
      await postgres.pool.query("GRANT SELECT ON pg_replication_slots TO PUBLIC");
      await postgres.pool.query("DROP ROLE guest");
    });
    const url = new URL(postgres.url);
    url.username = "guest";
    url.password = "guest";
    const guest = new pg.Pool({ connectionString: url.href, max: 1 });
    onTestFinished(() => guest.end());
    const watch = new ReplicationSlotWatch(guest, 0);
    await expect(watch.look()).rejects.toMatchObject({ code: "42501" });
    expect([watch.current, watch.problem]).toEqual([null, null]);
  });

  it("ends in time when the database hangs, with one connection", async () => {
    const lock = await postgres.pool.connect();
    const slow = new pg.Pool({ connectionString: postgres.url, max: 5 });
    onTestFinished(async () => {
      await slow.end();
    });
    await lock.query("BEGIN; LOCK TABLE pg_catalog.pg_authid IN ACCESS EXCLUSIVE MODE");
    const watch = new ReplicationSlotWatch(slow, 0);
    try {
      for (let n = 0; n < 2; n += 1) await expect(watch.look()).rejects.toThrow("not read in time");
      expect(slow.totalCount).toBe(1);
    } finally {
      await lock.query("ROLLBACK");
      lock.release();
    }
  });
});

describe("the server", () => {
  async function start(env: { WAL_HELD_MAX_MB: number }) {
    const METRICS_PORT = await freePort();
    const server = await startTestServer(urls, { ...env, METRICS_PORT });
    onTestFinished(() => server.stop());
    const health = async () => JSON.parse((await rawRequest(`${server.url}/healthz`)).text);
    const alert = async () =>
      (await health()).alerts.find(({ code }: { code: string }) => code === "replication_slot_holds_wal");
    const metrics = async () => await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text();
    return { url: server.url, health, alert, metrics };
  }

  it("is degraded by an unread slot, with what to do and a link to its page", async () => {
    await createSlot("unread");
    await writeWal();
    const server = await start(BOUNDS);
    await waitFor("the alert", async () => (await server.alert()) !== undefined);
    expect(await server.alert()).toMatchObject({
      text: expect.stringContaining("SELECT pg_drop_replication_slot('unread')"),
      href: "/console/outbox",
    });
    expect((await server.health()).status).toBe("degraded");
    expect((await rawRequest(`${server.url}/readyz`)).status).toBe(200);
    expect(await server.metrics()).toMatch(/^replication_slot_wal_held_bytes\{slot="unread"\} [1-9]\d+$/m);
  });

  it("has no alert below the bound, and shows the slot with the outbox", async () => {
    await createSlot("unread");
    const server = await start({ WAL_HELD_MAX_MB: NO_LIMIT_MB });
    const secret = await insertToken(postgres.prisma, { scopes: ["outbox.view"] });
    const status = async () => {
      const headers = { authorization: `Bearer ${secret}` };
      return (await rawRequest(`${server.url}/api/trpc/outbox.status`, { headers })).json.result.data;
    };
    await waitFor("the slot", async () => (await status()).replication?.slots.length === 1);
    expect((await status()).replication).toMatchObject({
      slots: [{ name: "unread", isActive: false, walStatus: "reserved" }],
      keepMaxBytes: 1_024 * MB,
      alertBytes: NO_LIMIT_MB * MB,
    });
    expect(await server.alert()).toBeUndefined();
  });
});

describe("the relay", () => {
  it("is degraded, not down, by an unread slot", async () => {
    await createSlot("unread");
    await writeWal();
    const METRICS_PORT = await freePort();
    const relay = startTestRelay(urls, { ...BOUNDS, METRICS_PORT });
    onTestFinished(() => relay.stop());
    const get = (path: string) => fetch(`http://127.0.0.1:${METRICS_PORT}${path}`);
    const problems = async (): Promise<string[]> => (await (await get("/healthz")).json()).problems;
    await waitFor("the problem", async () => (await problems()).join().includes("Replication slot unread"));
    await waitFor("the relay to be ready", async () => (await get("/readyz")).status === 200);
    expect((await (await get("/healthz")).json()).status).toBe("degraded");
    expect(await (await get("/metrics")).text()).toContain('replication_slot_wal_held_bytes{slot="unread"}');
  });
});
