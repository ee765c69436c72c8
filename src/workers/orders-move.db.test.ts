import { afterAll, beforeAll, expect, it } from "vitest";
import { compareStamps } from "../domain/orders/order-stamp";
import { openOrderLog } from "../orders/open-order-log";
import type { ProducerLoops } from "../orders/producer-loops";
import {
  deadLettersKey,
  logSourceKey,
  registryKey,
  shardMapKey,
  watermarkTurnsKey,
} from "../store/order-keys";
import { anOrder, LOG, OrderFixture } from "../testing/order-fixture";
import { readOrdered } from "../testing/read-ordered";
import { TestKinesis } from "../testing/test-kinesis";
import { waitFor } from "../testing/wait-for";

let fixture: OrderFixture;
let kinesis: TestKinesis;
beforeAll(async () => {
  [fixture, kinesis] = await Promise.all([OrderFixture.start(), TestKinesis.start()]);
  await kinesis.createStream("trades", 2);
});
afterAll(async () => {
  await fixture.stop();
  await kinesis.stop();
});

/** The steps of docs/adr/0020 with redis-cli. */
async function forgetPlaces(): Promise<void> {
  const { redis } = fixture;
  for (const key of [logSourceKey(LOG), watermarkTurnsKey(LOG), shardMapKey(LOG)]) await redis.unlink(key);
  await redis.hdel(registryKey(LOG), "map");
  for (const key of await redis.keys(`orders:{${LOG}:p*}:checkpoint`)) await redis.unlink(key);
  for (const key of await redis.keys(`orders:{${LOG}:p*}:*:head`)) await redis.hdel(key, "frontier");
}

async function submitTo(producer: ProducerLoops, total: number): Promise<void> {
  await (await producer.submit(Array.from({ length: 50 }, () => anOrder()))).durable;
  await waitFor(
    `${total} orders`,
    async () => (await readOrdered(fixture.redis, LOG, "DOGE")).length >= total,
  );
  await producer.stop(5_000);
}

it("a log that was moved from Redis to Kinesis continues where its ordered streams ended", async () => {
  const before = fixture.aggregator();
  await submitTo(fixture.producer(), 50);
  await before.stop();
  await forgetPlaces();

  const env = { ORDER_LOG: "kinesis" as const, KINESIS_STREAM: "trades", KINESIS_ENDPOINT: kinesis.url };
  const after = fixture.aggregator(env);
  const { log, close } = openOrderLog(
    { ...env, ORDER_LOG_NAME: LOG, ORDER_LIMITS: "on" },
    { redis: fixture.redis, onProblem: () => {} },
  );
  await submitTo(fixture.producer({ log }), 100);
  await after.stop();
  close();

  const ordered = await readOrdered(fixture.redis, LOG, "DOGE");
  expect(new Set(ordered.map(({ orderId }) => orderId)).size).toBe(100);
  for (let i = 1; i < ordered.length; i += 1)
    expect(compareStamps(ordered[i - 1]!.stamp, ordered[i]!.stamp)).toBeLessThan(0);
  expect(await fixture.redis.xlen(deadLettersKey(LOG))).toBe(0);
});
