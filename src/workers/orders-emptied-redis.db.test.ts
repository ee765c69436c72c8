import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { partitionOf } from "../domain/orders/order-partition";
import { BookStatusStore } from "../engine/book-status-store";
import { readHighestStamp } from "../engine/stored-numbers";
import { checkpointKey, headKey, leasesKey, registryKey } from "../store/order-keys";
import { anOrder, LOG, OrderFixture } from "../testing/order-fixture";
import { waitFor } from "../testing/wait-for";

let fixture: OrderFixture;
beforeAll(async () => {
  fixture = await OrderFixture.start({ shards: 2 });
});
afterAll(() => fixture.stop());

const send = async (symbol: string, count: number) => {
  const orders = Array.from({ length: count }, (_, i) => anOrder({ symbol, accountId: `a${i}` }));
  await (await fixture.producer().submit(orders)).durable;
};
const epochOf = async (symbol: string) => {
  const { rows } = await fixture.database.pool.query(
    "SELECT epoch::int FROM engine_states WHERE symbol = $1",
    [symbol],
  );
  return rows[0]?.epoch as number | undefined;
};
const problems = async () => (await new BookStatusStore(fixture.redis, LOG).read()).problems;

describe("a Redis that was emptied while the engine's state was kept", () => {
  it("matches symbols without history at once, and the others stand still and say so", async () => {
    const aggregator = fixture.aggregator();
    let engine = fixture.engine();
    await send("BTC", 10);
    await fixture.matched("BTC", 10);
    for (let restarts = 0; restarts < 2; restarts += 1) {
      await engine.stop();
      engine = fixture.engine();
      const before = (await epochOf("BTC"))!;
      await waitFor("the next engine", async () => (await epochOf("BTC"))! > before);
    }
    const epoch = (await epochOf("BTC"))!;
    await fixture.redis.flushall();
    await waitFor("the shards", async () => (await fixture.log.readMap().catch(() => null)) !== null);
    await send("ETH", 10);
    await fixture.matched("ETH", 10, 15_000);
    await send("BTC", 10);
    await waitFor("the reason", async () => (await problems()).has("BTC"));
    expect((await problems()).get("BTC")).toContain("Redis came back older than the engine's state");
    expect([...(await problems()).keys()]).toEqual(["BTC"]);
    expect(await epochOf("ETH")).toBeGreaterThan(epoch);
    // Numbers of producers and stamps start above those of the last matched orders.
    const { lastUs, producer } = await readHighestStamp(fixture.database.pool);
    const { floor, next } = await fixture.redis.hgetall(registryKey(LOG));
    expect(Number(floor)).toBeGreaterThanOrEqual(lastUs);
    expect(Number(next)).toBeGreaterThanOrEqual(producer);
    expect(await fixture.totals("BTC")).toMatchObject({ orders: 10, violations: 0 });
    await Promise.all([engine.stop(), aggregator.stop()]);
  });

  it("writes checkpoints and ordered streams with epochs above those that are stored", async () => {
    await fixture.redis.del(leasesKey(LOG, "aggregator"), leasesKey(LOG, "engine"));
    for (let p = 0; p < 8; p += 1) await fixture.redis.hset(checkpointKey(LOG, p), "epoch", 50);
    await fixture.redis.hset(headKey(LOG, partitionOf("ETH"), "ETH"), "epoch", 60);
    await fixture.database.pool.query("UPDATE engine_states SET epoch = 70");
    const [aggregator, engine] = [fixture.aggregator(), fixture.engine()];
    const { orders } = await fixture.totals("ETH");
    await send("ETH", 10);
    await fixture.matched("ETH", orders + 10, 15_000);
    expect(await epochOf("ETH")).toBeGreaterThan(70);
    await waitFor(
      "checkpoints",
      async () => Number(await fixture.redis.hget(checkpointKey(LOG, 0), "epoch")) > 50,
    );
    await Promise.all([engine.stop(), aggregator.stop()]);
  });
});

describe("a Redis that was restored from a backup", () => {
  it("pauses the symbols that were matched since, and the others continue", async () => {
    const [aggregator, engine] = [fixture.aggregator(), fixture.engine()];
    await Promise.all([send("SOL", 10), send("XRP", 10)]);
    await Promise.all([fixture.matched("SOL", 10), fixture.matched("XRP", 10)]);
    await fixture.server.ask("SAVE");
    await send("SOL", 10);
    await fixture.matched("SOL", 20);
    // Without an append-only file it comes back as it was at the backup.
    await fixture.server.kill();
    await fixture.server.run();
    await waitFor("the connection", async () => (await fixture.redis.ping().catch(() => "")) === "PONG");
    await send("XRP", 10);
    await fixture.matched("XRP", 20, 15_000);
    await waitFor("the reason", async () => (await problems()).has("SOL"));
    expect(await fixture.totals("SOL")).toMatchObject({ orders: 20, violations: 0 });
    expect(await fixture.totals("XRP")).toMatchObject({ orders: 20, violations: 0 });
    await Promise.all([engine.stop(), aggregator.stop()]);
  });
});
