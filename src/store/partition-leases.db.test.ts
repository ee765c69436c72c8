import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, TestRedis } from "../testing/test-redis";
import { leasesKey } from "./order-keys";
import { PartitionLeases } from "./partition-leases";
import type { RedisClient } from "./redis";

const HOUR_US = 3_600_000_000;
let server: TestRedis;
let redis: RedisClient;
let serial = 0;

beforeAll(async () => {
  server = await TestRedis.start();
  redis = await connect(server.url, 5_000);
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
  const stored = new Map<number, number>();
  const worker = (owner: string, ttlMs = 60_000) =>
    new PartitionLeases(redis, { log, kind: "engine", owner, ttlMs, storedEpochs: async () => stored });
  /** As if Redis' clock had stepped by so much. */
  const step = async (byUs: number) => {
    await redis.hset(key, "at", Number(await redis.hget(key, "at")) - byUs);
  };
  return { key, worker, step, stored };
}

describe("leases and the clock", () => {
  it("stay with the workers that run when the clock steps, by any time and in any direction", async () => {
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

describe("epochs of leases", () => {
  const epochs = (leases: ReadonlyMap<number, number>) => [leases.get(0), leases.get(1), leases.get(2)];

  it("start above what is stored, per partition, and then stay", async () => {
    const { worker, stored } = freshLog();
    stored.set(0, 3).set(1, 41);
    const a = worker("a");
    const first = await a.renew();
    expect(epochs(first)).toEqual([4, 42, 1]);
    // Results were stored with these epochs meanwhile.
    for (const [partition, epoch] of first) stored.set(partition, epoch);
    expect(await a.renew()).toEqual(first);
  });

  it("rise above those that a worker had before Redis was emptied", async () => {
    const { key, worker } = freshLog();
    const a = worker("a");
    expect(epochs(await a.renew())).toEqual([1, 1, 1]);
    await redis.del(key);
    expect(epochs(await a.renew())).toEqual([2, 2, 2]);
    expect(epochs(await a.renew())).toEqual([2, 2, 2]);
  });

  it("rise above the one that refused a write", async () => {
    const { worker, stored } = freshLog();
    const a = worker("a");
    await a.renew();
    stored.set(0, 9);
    expect(epochs(await a.renew())).toEqual([1, 1, 1]);
    a.distrust();
    expect(epochs(await a.renew())).toEqual([10, 1, 1]);
  });

  it("are not used while what is stored can't be read", async () => {
    const { key, stored } = freshLog();
    stored.set(0, 9);
    let isDown = true;
    const a = new PartitionLeases(redis, {
      log: key.split(/[{}]/)[1]!,
      kind: "engine",
      owner: "a",
      ttlMs: 60_000,
      storedEpochs: async () => {
        if (isDown) throw new Error("no database");
        return stored;
      },
    });
    await expect(a.renew()).rejects.toThrow("no database");
    isDown = false;
    expect(epochs(await a.renew())).toEqual([10, 1, 1]);
  });
});
