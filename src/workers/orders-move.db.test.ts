import { afterAll, beforeAll, expect, it } from "vitest";
import { compareStamps } from "../domain/orders/order-stamp";
import { openOrderLog } from "../orders/open-order-log";
import type { ProducerLoops } from "../orders/producer-loops";
import { beatTurnsKey, logSourceKey, registryKey, shardMapKey, sideStreamKey } from "../store/order-keys";
import { anOrder, LOG, OrderHouse } from "../testing/order-fixture";
import { readOrdered } from "../testing/read-ordered";
import { TestKinesis } from "../testing/test-kinesis";
import { waitFor } from "../testing/wait-for";

let house: OrderHouse;
let kinesis: TestKinesis;
beforeAll(async () => {
  [house, kinesis] = await Promise.all([OrderHouse.start(), TestKinesis.start()]);
  await kinesis.createStream("trades", 2);
});
afterAll(async () => {
  await house.stop();
  await kinesis.stop();
});

/** What docs/adr/0020 tells to do with redis-cli. */
async function forgetPlaces(): Promise<void> {
  const { redis } = house;
  for (const key of [logSourceKey(LOG), beatTurnsKey(LOG), shardMapKey(LOG)]) await redis.unlink(key);
  await redis.hdel(registryKey(LOG), "map");
  for (const key of await redis.keys(`orders:{${LOG}:p*}:checkpoint`)) await redis.unlink(key);
  for (const key of await redis.keys(`orders:{${LOG}:p*}:*:head`)) await redis.hdel(key, "frontier");
}

async function submitTo(producer: ProducerLoops, total: number): Promise<void> {
  await (await producer.submit(Array.from({ length: 50 }, () => anOrder()))).durable;
  await waitFor(`${total} orders`, async () => (await readOrdered(house.redis, LOG, "DOGE")).length >= total);
  await producer.stop(5_000);
}

it("a log that was moved from Redis to Kinesis goes on where its ordered streams ended", async () => {
  const before = house.aggregator();
  await submitTo(house.producer(), 50);
  await before.stop();
  await forgetPlaces();

  const env = { ORDER_LOG: "kinesis" as const, KINESIS_STREAM: "trades", KINESIS_ENDPOINT: kinesis.url };
  const after = house.aggregator(env);
  const { log, close } = openOrderLog(
    { ...env, ORDER_LOG_NAME: LOG, ORDER_LIMITS: "on" },
    { redis: house.redis, onProblem: () => {} },
  );
  await submitTo(house.producer({ log }), 100);
  await after.stop();
  close();

  const ordered = await readOrdered(house.redis, LOG, "DOGE");
  expect(new Set(ordered.map(({ orderId }) => orderId)).size).toBe(100);
  for (let i = 1; i < ordered.length; i += 1)
    expect(compareStamps(ordered[i - 1]!.stamp, ordered[i]!.stamp)).toBeLessThan(0);
  expect(await house.redis.xlen(sideStreamKey(LOG))).toBe(0);
});
