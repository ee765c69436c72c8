import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppError } from "../domain/app-error";
import { shardOfKey } from "../domain/orders/hash-range";
import { shardStreamKey } from "../store/order-keys";
import { RedisProducerRegistry } from "../store/producer-registry";
import { anOrder, LOG, OrderFixture } from "../testing/order-fixture";
import { waitFor } from "../testing/wait-for";
import { createProducer } from "./create-producer";
import { RedisLog } from "./redis-log";

let fixture: OrderFixture;
beforeAll(async () => {
  fixture = await OrderFixture.start({ shards: 1 });
});
afterAll(() => fixture.stop());

const orders = (count: number) => Array.from({ length: count }, () => anOrder());

/** Each of another account, so that they may take any sub-key. */
const ofAccounts = (count: number, symbol: string) =>
  Array.from({ length: count }, (_, i) => anOrder({ symbol, accountId: `a${i}` }));

describe("a producer", () => {
  it("meets a limit with few repeats, drops nothing, and pushes back when its buffer is full", async () => {
    const limits = { bytesPerSecond: 0, recordsPerSecond: 400 };
    const log = new RedisLog(fixture.redis, { log: LOG, limits });
    let attempts = 0;
    const producer = createProducer({
      log,
      plans: fixture.plans,
      onError: () => {},
      registry: new RedisProducerRegistry(fixture.redis, LOG),
      settings: { maxOrdersPerRecord: 1, maxBuffered: 600 },
      onAppend: (_, __, records) => {
        attempts += records.length;
      },
    });
    const before = await fixture.redis.xlen(shardStreamKey(LOG, "0"));
    const receipts = [];
    let refused: AppError | null = null;
    let sent = 0;
    while (!refused) {
      try {
        receipts.push(await producer.submit(orders(50)));
        sent += 50;
      } catch (error) {
        refused = error as AppError;
      }
    }
    expect(refused).toMatchObject({ code: "BUSY" });
    expect(refused.message).toMatch(/^The order buffer is full\. Try again in \d+ ms\.$/);
    expect(refused.details.retryAfterMs).toBeGreaterThan(0);
    await Promise.all(receipts.map(({ durable }) => durable));
    expect(producer.producer.buffered).toBe(0);
    expect((await fixture.redis.xlen(shardStreamKey(LOG, "0"))) - before).toBe(sent);
    expect(attempts).toBeLessThanOrEqual(sent * 3);
    await producer.stop(1_000);
  });

  it("restamps after a fence, and a record that was taken before stays single", async () => {
    const producer = fixture.producer();
    await (await producer.submit(orders(10))).durable;
    const fenced = producer.producer.number!;
    const { open } = await fixture.log.readMap();
    for (const { id } of open) await fixture.log.fence(id, fenced);
    const registry = new RedisProducerRegistry(fixture.redis, LOG);
    await registry.leave({ producer: fenced, incarnation: "" });
    await (await producer.submit(orders(10))).durable;
    expect(producer.producer.number).toBeGreaterThan(fenced);
  });

  it("puts each symbol on the shard its key hashes to, and a split on distinct ones, within a second", async () => {
    await fixture.log.splitShard("0");
    await fixture.split("ETH", 2);
    const { open } = await fixture.log.readMap();
    const counts = () => Promise.all(open.map(({ id }) => fixture.redis.xlen(shardStreamKey(LOG, id))));
    const before = await counts();
    const producer = fixture.producer({ settings: { maxOrdersPerRecord: 1 } });
    await (await producer.submit(ofAccounts(40, "ETH"))).durable;
    const grown = (await counts()).map((count, i) => count - before[i]!);
    expect(Math.min(...grown)).toBeGreaterThan(0);
    // One account's orders that are pending together share a shard.
    const between = await counts();
    const ofOne = Array.from({ length: 40 }, () => anOrder({ symbol: "ETH" }));
    await (await producer.submit(ofOne)).durable;
    const after = (await counts()).map((count, i) => count - between[i]!);
    expect(after.filter(count => count > 0)).toEqual([40]);
    await (await producer.submit([anOrder({ symbol: "BTC" })])).durable;
    const home = open.findIndex(({ id }) => id === shardOfKey(open, "BTC").id);
    expect((await counts())[home]! - before[home]! - grown[home]! - after[home]!).toBe(1);
  });

  it("lets what a full shard has not taken follow a split, each order once and with its stamp", async () => {
    const limits = { bytesPerSecond: 0, recordsPerSecond: 20 };
    const log = new RedisLog(fixture.redis, { log: LOG, limits });
    const producer = createProducer({
      log,
      plans: fixture.plans,
      onError: () => {},
      registry: new RedisProducerRegistry(fixture.redis, LOG),
      settings: { maxOrdersPerRecord: 1 },
    });
    const { open } = await log.readMap();
    const home = shardOfKey(open, "SOL").id;
    const other = open.find(({ id }) => id !== home)!.id;
    const lengths = () => Promise.all([home, other].map(id => fixture.redis.xlen(shardStreamKey(LOG, id))));
    const before = await lengths();
    const receipt = await producer.submit(ofAccounts(100, "SOL"));
    await waitFor("the first refusal", async () => (await lengths())[0]! > before[0]!);
    await fixture.split("SOL", 2);
    await receipt.durable;
    const [onHome, onOther] = (await lengths()).map((length, i) => length - before[i]!);
    expect(onHome! + onOther!).toBe(100);
    // One of two sub-keys is on the home shard; what was refused there before it knew is shared as well.
    // The sub-keys are chosen at random.
    expect(onOther).toBeGreaterThan(5);
    await producer.stop(1_000);
  });
});
