import { afterAll, beforeAll, expect, it } from "vitest";
import { anOrder, OrderFixture } from "../testing/order-fixture";
import { TestCluster } from "../testing/test-cluster";

const SYMBOLS = ["DOGE", "BTC", "ETH", "SOL"];
const ROUNDS = 40;
const PER_ROUND = 25;

let cluster: TestCluster;
let fixture: OrderFixture;

beforeAll(async () => {
  cluster = await TestCluster.start();
  fixture = await OrderFixture.start({ cluster, shards: 6 });
  fixture.aggregator();
  fixture.engine();
});
afterAll(async () => {
  await fixture.stop();
  await cluster.remove();
});

it("on a cluster shards and symbols live on different nodes, and orders arrive once and in order", async () => {
  const producers = [fixture.producer(), fixture.producer()];
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round === 10) await fixture.split("DOGE", 5);
    if (round === 20) await fixture.log.splitShard("3");
    if (round === 30) await fixture.split("DOGE", 1);
    await Promise.all(
      SYMBOLS.map(async (symbol, i) => {
        const orders = Array.from({ length: PER_ROUND }, () => anOrder({ symbol }));
        await (await producers[(round + i) % 2]!.submit(orders)).durable;
      }),
    );
  }
  for (const symbol of SYMBOLS) {
    await fixture.matched(symbol, ROUNDS * PER_ROUND);
    expect(await fixture.totals(symbol)).toMatchObject({
      orders: ROUNDS * PER_ROUND,
      violations: 0,
      rejects: 0,
    });
  }
  expect(await cluster.errorCount("CROSSSLOT")).toBe(0);
  const sizes = await Promise.all(cluster.nodes.map(node => node.ask("DBSIZE")));
  for (const size of sizes) expect(Number(size)).toBeGreaterThan(0);
});
