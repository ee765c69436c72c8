import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, TestRedis } from "../testing/test-redis";
import { pausedKey, registryKey } from "./order-keys";
import { RedisProducerRegistry } from "./producer-registry";
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

function fresh() {
  serial += 1;
  const log = `log${serial}`;
  return { log, key: registryKey(log), registry: new RedisProducerRegistry(redis, log) };
}
const claim = (throughUs: number) => ({ throughUs, mapVersion: 1, except: {} });

describe("the registry after a step back of its clock", () => {
  it("tells every producer the highest stamp, and numbers its views upwards", async () => {
    const { key, registry } = fresh();
    const [a, b] = [await registry.join(1), await registry.join(1)];
    const aheadUs = a.nowUs + HOUR_US;
    await registry.publish(a, claim(aheadUs));
    expect(await registry.publish(b, claim(b.startUs + 1))).toMatchObject({ highestUs: aheadUs });
    expect((await registry.join(1)).startUs).toBe(aheadUs);
    await redis.hset(key, "readAt", aheadUs);
    const views = [await registry.view(0), await registry.view(0)];
    expect(views.map(({ readAtUs }) => readAtUs - aheadUs)).toEqual([1, 2]);
  });

  it("believes no mark of an unregistered producer and no pause that lies an hour ahead", async () => {
    const { log, key, registry } = fresh();
    const { producer, incarnation, nowUs } = await registry.join(1);
    await redis.hset(key, "unregistered", nowUs + HOUR_US);
    await registry.view(0);
    expect(Number(await redis.hget(key, "unregistered"))).toBeLessThan(nowUs + HOUR_US / 2);
    await registry.setPaused(["BTC"], 4_000);
    await redis.hset(pausedKey(log), "ETH", nowUs + HOUR_US);
    const answer = await registry.publish({ producer, incarnation }, claim(nowUs + 1));
    expect(answer).toMatchObject({ pausedUs: { BTC: expect.any(Number) } });
    expect(answer).not.toHaveProperty("pausedUs.ETH");
  });
});

describe("a registry that was lost", () => {
  it("keeps two producers with one number apart, and gives a producer a higher number than it had", async () => {
    const { key, registry } = fresh();
    const first = await registry.join(1);
    await redis.del(key);
    const second = await registry.join(1);
    expect(second.producer).toBe(first.producer);
    expect(await registry.publish(first, claim(second.startUs + 9))).toEqual({ joined: false });
    await registry.leave(first);
    expect((await registry.view(0)).producers).toHaveLength(1);
    const lastUs = second.startUs + HOUR_US;
    const again = await registry.join(1, { producer: 40, lastUs });
    expect([again.producer, again.startUs]).toEqual([41, lastUs]);
    await registry.raise({ producer: 90, lastUs: lastUs + 5 });
    const last = await registry.join(1);
    expect([last.producer, last.startUs]).toEqual([91, lastUs + 5]);
  });
});
