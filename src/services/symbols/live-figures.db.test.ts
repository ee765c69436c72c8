import { afterAll, beforeAll, expect, it } from "vitest";
import { shardOfKey } from "../../domain/orders/hash-range";
import { idOf, OTHER } from "../../telemetry/instruments";
import { ROLLUPS } from "../../telemetry/rollups";
import { placeOf } from "../../telemetry/write-rollups";
import { setLoad } from "../../testing/order-figures";
import { OrderFixture } from "../../testing/order-fixture";
import { figuresOf } from "./list-symbols";
import { LiveFigures } from "./live-figures";

const limits = { recordsPerSecond: 1_000, bytesPerSecond: 1_000_000 };

let fixture: OrderFixture;
beforeAll(async () => {
  fixture = await OrderFixture.start();
});
afterAll(() => fixture.stop());

const figures = () => new LiveFigures({ redis: fixture.redis, plans: fixture.plans, orderLog: fixture.log });

it("a symbol that no server counts apart is unknown, not cold, and such a shard is not preferred", async () => {
  const { open } = await fixture.log.readMap();
  const home = shardOfKey(open, "DOGE").id;
  const load = { offered: 400, durable: 400, bytes: 40_000, throttled: 0 };
  await setLoad(fixture.redis, { symbol: "DOGE", shardId: home, ...load });
  const before = await figures().read();
  expect(figuresOf("DOGE", 1, { figures: before, limits }).state).toBe("warm");
  expect(figuresOf("BTC", 1, { figures: before, limits })).toMatchObject({
    state: "cold",
    mergedUtilization: 0,
  });

  // A server has met its maxima, and counts a flood of some symbol on some shard together with others.
  for (const name of ["orders_offered_total", "order_records_total"])
    for (let second = -10; second < 10; second += 1) {
      const { key, field } = placeOf(ROLLUPS[0]!, Date.now() + second * 1_000, { id: idOf(name, OTHER) });
      await fixture.redis.hset(key, field, 5_000);
    }
  const live = figures();
  const after = await live.read();
  expect(figuresOf("DOGE", 1, { figures: after, limits }).state).toBe("warm");
  expect(figuresOf("BTC", 1, { figures: after, limits })).toMatchObject({
    state: "unknown",
    flow: null,
    mergedUtilization: null,
    recommended: null,
  });
  expect([...after.shards.keys()]).toEqual([home]);
  const chosen = live.chooseSubKeys("BTC", 2, limits)!.map(key => shardOfKey(open, key).id);
  expect(chosen).toContain(home);
});
