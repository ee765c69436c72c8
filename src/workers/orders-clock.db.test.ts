import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leasesKey, registryKey } from "../store/order-keys";
import { anOrder, LOG, OrderFixture } from "../testing/order-fixture";
import { stepRedisClock } from "../testing/step-redis-clock";

const SHARDS = 2;
const HOUR_US = 3_600_000_000;

let fixture: OrderFixture;
beforeAll(async () => {
  fixture = await OrderFixture.start({ shards: SHARDS });
});
afterAll(() => fixture.stop());

async function send(count: number): Promise<void> {
  const orders = Array.from({ length: count }, () => anOrder({ symbol: "BTC" }));
  await (await producer.submit(orders)).durable;
}
let producer: ReturnType<OrderFixture["producer"]>;

describe("a step of Redis' clock", () => {
  it("back or forward stops no matching and turns no order round", async () => {
    const aggregator = fixture.aggregator();
    const engine = fixture.engine();
    producer = fixture.producer();
    await send(10);
    await fixture.matched("BTC", 10);
    let sent = 10;
    for (const byUs of [1_000_000, -1_000_000, 60_000_000, -60_000_000, HOUR_US, -HOUR_US, HOUR_US]) {
      await stepRedisClock(fixture.redis, LOG, byUs);
      await send(10);
      sent += 10;
      await fixture.matched("BTC", sent, 15_000);
    }
    // A producer that died at the step is still found silent, and another one joins.
    await producer.producer.leave();
    const registry = await fixture.redis.hgetall(registryKey(LOG));
    const dead = `p:${Number(registry.next) + 1}`;
    const aheadUs = Date.now() * 1_000 + HOUR_US;
    await fixture.redis.hset(registryKey(LOG), {
      next: Number(registry.next) + 1,
      [dead]: `${Number(registry.floor) + 1} ${aheadUs} 1 gone {}`,
    });
    await send(10);
    await fixture.matched("BTC", sent + 10, 15_000);
    expect(await fixture.totals("BTC")).toMatchObject({ orders: sent + 10, violations: 0, rejects: 0 });
    await Promise.all([engine.stop(), aggregator.stop()]);
  });

  it("ends the leases of processes that died at the step", async () => {
    const aheadUs = Date.now() * 1_000 + HOUR_US;
    for (const kind of ["aggregator", "engine"]) {
      const fields: Record<string, string> = { "m:dead": String(aheadUs) };
      for (let p = 0; p < 8; p += 1) fields[`p:${p}`] = `20 ${aheadUs} dead`;
      await fixture.redis.hset(leasesKey(LOG, kind), fields);
    }
    fixture.aggregator();
    fixture.engine();
    const { orders } = await fixture.totals("BTC");
    await send(10);
    await fixture.matched("BTC", orders + 10, 15_000);
    expect(await fixture.totals("BTC")).toMatchObject({ orders: orders + 10, violations: 0 });
  });
});
