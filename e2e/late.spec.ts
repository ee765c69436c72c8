import { randomUUID } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { shardOfKey } from "../src/domain/hash-range";
import { packOrder } from "../src/domain/order-payload";
import { NO_LIMITS, RedisLog } from "../src/orders/redis-log";
import { createRedis, redisIsReady } from "../src/store/redis";
import { encodeRows } from "../src/testing/encode-rows";
import { test } from "./console-session";
import { expectFine } from "./expect-fine";

const dialog = (page: Page) => page.locator("dialog[open]").last();
const REDIS_URL = process.env.E2E_REDIS_URL;
const DAY_US = 86_400_000_000;
/** Has never joined: what it writes is nobody's promise. Another one in each run. */
const STRANGER = 1_000_000_000 + Math.floor(Math.random() * 1_000_000_000);

test.skip(!REDIS_URL, "needs the Redis that this run has started");

/** An order of ADA with a stamp of yesterday, straight into the log. */
async function appendLate(orderId: string): Promise<void> {
  const redis = createRedis({ url: REDIS_URL!, connectionName: "e2e", commandTimeoutMs: 5_000 }, () => {});
  try {
    await redisIsReady(redis, 5_000);
    const log = new RedisLog(redis, { log: "orders", limits: NO_LIMITS });
    const { open } = await log.readMap();
    const order = {
      ...{ kind: "limit" as const, symbol: "ADA", orderId, accountId: "late-account" },
      ...{ side: "buy" as const, price: 43_210, quantity: 12_345 },
    };
    const row = { timeUs: Date.now() * 1_000 - DAY_US, sequence: 1, payload: packOrder(order) };
    const data = encodeRows(STRANGER, "ADA", [row]);
    const shardId = shardOfKey(open, "ADA").id;
    await log.append({
      shardId,
      producer: STRANGER,
      firstNumber: 1,
      records: [{ partitionKey: "ADA", data }],
    });
  } finally {
    redis.disconnect();
  }
}

test("a late order is found, read, and sent again once", async ({ page }) => {
  const origin = new URL(test.info().project.use.baseURL ?? "http://localhost").origin;
  const call = (name: string, data: object) =>
    page.request.post(`/api/trpc/${name}`, { data, headers: { origin } });
  const first = { kind: "limit", symbol: "ADA", orderId: randomUUID(), accountId: "a", side: "buy" };
  const sent = await call("orders.submit", { orders: [{ ...first, price: "0.4", quantity: "1" }] });
  expect(sent.status()).toBe(200);
  // Durable is not yet in order: what comes before anything else is not late.
  await expect(async () => {
    const answer = await page.request.get("/api/trpc/orders.status");
    type Status = { result: { data: { engines: { symbol: string; position: number }[] } } };
    const { engines } = ((await answer.json()) as Status).result.data;
    expect(engines.find(({ symbol }) => symbol === "ADA")?.position).toBeGreaterThan(0);
  }).toPass({ timeout: 20_000 });
  const orderId = randomUUID();
  await appendLate(orderId);

  await page.goto("/console/late?reason=late");
  const row = page.getByRole("row").filter({ hasText: "ADA" }).first();
  await row.click();
  await expect(dialog(page).getByText(`buy 1.2345 ADA at 0.4321 · late-account · ${orderId}`)).toBeVisible();
  await expectFine(page);
  await dialog(page).getByRole("button", { name: "Send again…" }).click();
  await expect(dialog(page).getByText(/stamps of now/)).toBeVisible();
  await dialog(page).getByLabel("Reason, for the audit log").fill("The client asked for it");
  await dialog(page).getByRole("button", { name: "Send again", exact: true }).click();
  await expect(page.getByRole("button", { name: "Send again…" })).toHaveAccessibleDescription(
    /has sent it again/,
  );
  await page.goto("/console/late?reason=gap");
  await expect(page.getByText("None for this reason")).toBeVisible();
  await expect(page.getByText(/^None of the .* is “gap”/)).toBeVisible();
  await page.goto("/console/audit?action=orders.sendAgain");
  await expect(page.getByText("The client asked for it").first()).toBeVisible();
});
