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
