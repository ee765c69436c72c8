import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestRedis } from "../testing/test-redis";
import { leasesKey } from "./order-keys";
import { PartitionLeases } from "./partition-leases";
import { createRedis, type RedisClient, redisIsReady } from "./redis";

const HOUR_US = 3_600_000_000;
let server: TestRedis;
let redis: RedisClient;
let serial = 0;

beforeAll(async () => {
  server = await TestRedis.start();
  redis = createRedis({ url: server.url, connectionName: "test", commandTimeoutMs: 5_000 }, () => {});
  await redisIsReady(redis, 5_000);
});
afterAll(async () => {
  redis.disconnect();
  await server.remove();
});

/** Workers of a log of their own. */
function freshLog() {
  serial += 1;
  const log = `log${serial}`;
  const key = leasesKey(log, "engine");
  const worker = (owner: string, ttlMs = 60_000) =>
    new PartitionLeases(redis, { log, kind: "engine", owner, ttlMs });
  /** As if Redis' clock had stepped by so much. */
  const step = async (byUs: number) => {
    await redis.hset(key, "at", Number(await redis.hget(key, "at")) - byUs);
  };
  return { key, worker, step };
}

describe("leases and the clock", () => {
  it("stay with the workers that run when the clock steps, by whatever and in any direction", async () => {
    const { worker, step } = freshLog();
    const [a, b] = [worker("a"), worker("b")];
    await a.renew();
    await b.renew();
    const before = [await a.renew(), await b.renew()];
    expect(before.map(({ size }) => size)).toEqual([4, 4]);
    for (const byUs of [1e6, -1e6, 6e7, -6e7, HOUR_US, -HOUR_US]) {
      await step(byUs);
      expect([await a.renew(), await b.renew()]).toEqual(before);
    }
  });

  it("end after one lease at most where the stored end is an hour ahead", async () => {
    const { key, worker } = freshLog();
    const aheadUs = Date.now() * 1_000 + HOUR_US;
    const fields: Record<string, string> = { "m:dead": String(aheadUs) };
    for (let p = 0; p < 8; p += 1) fields[`p:${p}`] = `7 ${aheadUs} dead`;
    await redis.hset(key, fields);
    const alive = worker("alive", 100);
    expect((await alive.renew()).size).toBe(0);
    await expect
      .poll(() => alive.renew(), { timeout: 5_000 })
      .toEqual(new Map([...Array(8).keys()].map(p => [p, 8])));
  });

  it("are free at once for a worker that comes after all others have been gone for long", async () => {
    const { worker, step } = freshLog();
    await worker("a").renew();
    await step(HOUR_US);
    expect((await worker("b").renew()).size).toBe(8);
  });
});
