import { afterAll, beforeAll, expect, it } from "vitest";
import { engineEnv } from "../process/order-env";
import { anOrder, OrderFixture } from "../testing/order-fixture";
import { quietLog } from "../testing/quiet-log";
import { waitFor } from "../testing/wait-for";
import { runVolumes } from "./run-volumes";
import { VolumeConsumer } from "./volumes";

let fixture: OrderFixture;
beforeAll(async () => {
  fixture = await OrderFixture.start();
  fixture.aggregator();
});
afterAll(() => fixture.stop());

const run = () => runVolumes(engineEnv.parse(fixture.env), quietLog("engine"));
const volumes = async () =>
  (
    await fixture.database.pool.query(
      "SELECT position::int, orders::int, units::int FROM volumes WHERE symbol = 'DOGE'",
    )
  ).rows[0];

async function counted(orders: number): Promise<void> {
  const submitted = Array.from({ length: 20 }, (_, i) => anOrder({ accountId: `a${i}`, quantity: 3 }));
  await (await fixture.producer().submit(submitted)).durable;
  await waitFor(`${orders} orders to be counted`, async () => (await volumes())?.orders === orders);
}

it("counts each order once, over restarts and several copies", { timeout: 60_000 }, async () => {
  const first = await run();
  await counted(20);
  await first.stop();
  const copies = await Promise.all([run(), run()]);
  await counted(40);
  await copies[0]!.stop();
  await counted(60);
  expect(await volumes()).toEqual({ position: 60, orders: 60, units: 180 });
  await copies[1]!.stop();
});

it("refuses a commit of an earlier owner, and one that comes twice", async () => {
  const { pool } = fixture.database;
  const [early, late] = [
    await VolumeConsumer.open(pool, "BTC", 7),
    await VolumeConsumer.open(pool, "BTC", 8),
  ];
  const orders = [
    {
      position: 1,
      stamp: { timeUs: 1, producer: 1, sequence: 1 },
      order: anOrder({ symbol: "BTC" }),
      orderedMs: null,
    },
  ];
  await expect(early.apply(orders)).rejects.toThrow("BTC has a later owner");
  const twin = await VolumeConsumer.open(pool, "BTC", 8);
  await late.apply(orders);
  await expect(twin.apply(orders)).rejects.toThrow("BTC has a later owner");
  await expect(VolumeConsumer.open(pool, "BTC", 7)).rejects.toThrow("BTC has a later owner");
});
