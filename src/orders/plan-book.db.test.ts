import type { QueryConfig } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OrderFixture } from "../testing/order-fixture";
import { waitFor } from "../testing/wait-for";
import { PlanBook } from "./plan-book";

let fixture: OrderFixture;
beforeAll(async () => {
  fixture = await OrderFixture.start();
});
afterAll(() => fixture.stop());

it("a split that expires ends for a producer by the clock, without another look at the database", async () => {
  const until = new Date(Date.now() + 1_500);
  await fixture.database.pool.query(
    `INSERT INTO split_plans (symbol, epoch, factor, strategy, placement, reason, set_by, set_at, expires_at)
     VALUES ('DOGE', 1, 4, 'random', 'planned', 'test', 'test', now(), $1)`,
    [until],
  );
  const plans = new PlanBook(fixture.database.pool);
  await plans.refresh();
  const map = await fixture.log.readMap();
  expect(plans.subKeysOf("DOGE", map)).toHaveLength(4);
  expect(Date.now()).toBeLessThan(until.getTime());
  await waitFor("the split to end", () => plans.subKeysOf("DOGE", map).length === 1);
  expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
  expect(plans.route("DOGE", "alice", map).partitionKey).toBe("DOGE");
});

it("reads symbols and plans again only after a change of them, of any process", async () => {
  const { pool } = fixture.database;
  const reads: string[] = [];
  const counting = new Proxy(pool, {
    get: (target, key) =>
      key === "query"
        ? (query: QueryConfig) => {
            reads.push(query.name ?? "");
            return target.query(query);
          }
        : Reflect.get(target, key, target),
  });
  const plans = new PlanBook(counting);
  for (let n = 0; n < 3; n += 1) await plans.refresh();
  expect(reads.filter(name => name === "plan-book")).toHaveLength(1);
  await pool.query(
    "INSERT INTO traded_symbols (symbol, price_decimals, quantity_decimals) VALUES ('NEW', 2, 2)",
  );
  await plans.refresh();
  expect(plans.tradedSymbols.has("NEW")).toBe(true);
  await fixture.split("NEW", 3);
  await plans.refresh();
  expect(plans.planOf("NEW")?.factor).toBe(3);
  const client = await pool.connect();
  await client.query("BEGIN");
  await client.query("UPDATE traded_symbols SET state = 'delisted' WHERE symbol = 'NEW'");
  await plans.refresh();
  expect(plans.tradedSymbols.has("NEW")).toBe(true);
  await client.query("COMMIT");
  client.release();
  await plans.refresh();
  expect(plans.tradedSymbols.has("NEW")).toBe(false);
});
