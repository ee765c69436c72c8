import { randomUUID } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { shardOfKey } from "../src/domain/orders/hash-range";
import { NO_LIMITS, RedisLog } from "../src/orders/redis-log";
import { packOrder } from "../src/store/codec/order-payload";
import { UNGUARDED } from "../src/store/owner-guard";
import { createRedis, redisIsReady } from "../src/store/redis";
import { encodeRows } from "../src/testing/encode-rows";
import { callApi, queryApi, test } from "./console-session";
import { expectFine } from "./expect-fine";

const dialog = (page: Page) => page.locator("dialog[open]").last();
const REDIS_URL = process.env.E2E_REDIS_URL;
const DAY_US = 86_400_000_000;

test.skip(!REDIS_URL, "needs the Redis that this run has started");

/** Appends an order of ADA with a timestamp of yesterday to the log. Resolves to its producer, which never joined. */
async function appendLate(orderId: string): Promise<number> {
  const producer = 1_000_000_000 + Math.floor(Math.random() * 1_000_000_000);
  const redis = createRedis(
    { url: REDIS_URL!, connectionName: "e2e", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  try {
    await redisIsReady(redis, 5_000);
    const log = new RedisLog(redis, { log: "orders", limits: NO_LIMITS });
    const { open } = await log.readMap();
    const order = {
      kind: "limit" as const,
      symbol: "ADA",
      orderId,
      accountId: "late-account",
      side: "buy" as const,
      price: 43_210,
      quantity: 12_345,
    };
    const row = { timeUs: Date.now() * 1_000 - DAY_US, sequence: 1, payload: packOrder(order) };
    const data = encodeRows(producer, "ADA", [row]);
    const shardId = shardOfKey(open, "ADA").id;
    await log.append({
      shardId,
      producer,
      firstNumber: 1,
      records: [{ partitionKey: "ADA", data }],
    });
    return producer;
  } finally {
    redis.disconnect();
  }
}

/** No event is late before the first order of its symbol is released. */
async function releaseOneOrder(page: Page): Promise<void> {
  const first = { kind: "limit", symbol: "ADA", orderId: randomUUID(), accountId: "a", side: "buy" };
  const sent = await callApi(page, "orders.submit", { orders: [{ ...first, price: "0.4", quantity: "1" }] });
  expect(sent.error).toBeUndefined();
  await expect(async () => {
    type Status = { engines: { symbol: string; position: number }[] };
    const { engines } = await queryApi<Status>(page, "orders.status");
    expect(engines.find(({ symbol }) => symbol === "ADA")?.position).toBeGreaterThan(0);
  }).toPass({ timeout: 20_000 });
}

test("a late order is found, read, and replayed once", async ({ page }) => {
  await releaseOneOrder(page);
  const orderId = randomUUID();
  const producer = await appendLate(orderId);

  await page.goto("/console/dead-letters?reason=late");
  await page
    .getByRole("row")
    .filter({ hasText: String(producer) })
    .click();
  await expect(dialog(page).getByText(`buy 1.2345 ADA at 0.4321 · late-account · ${orderId}`)).toBeVisible();
  await expectFine(page);
  await dialog(page).getByRole("button", { name: "Replay", exact: true }).click();
  await expect(dialog(page).getByText(/^The engine gets 1 order with new timestamps/)).toBeVisible();
  await dialog(page).getByLabel("Reason, for the audit log").fill("The client asked for it");
  await dialog(page).getByRole("button", { name: "Replay 1 order" }).click();
  await expect(page.getByRole("button", { name: "Replay", exact: true })).toHaveAccessibleDescription(
    /Replayed by/,
  );
  await page.goto("/console/dead-letters?reason=gap");
  await expect(page.getByText("No dead letters with this reason")).toBeVisible();
  await expect(page.getByText(/^None of the .* is “gap”/)).toBeVisible();
  await page.goto("/console/audit?action=orders.replay");
  await expect(page.getByText("The client asked for it").first()).toBeVisible();
});

test("the list is read again when there is a new dead letter, and not before", async ({ page }) => {
  test.slow();
  await releaseOneOrder(page);
  let reads = 0;
  page.on("request", request => {
    if (request.url().includes("/api/trpc/orders.deadLetters")) reads += 1;
  });
  await page.goto("/console/dead-letters?reason=late");
  await expect(page.getByRole("region", { name: "Dead letters", exact: true })).toBeVisible();
  await expect(async () => {
    const before = reads;
    await page.waitForTimeout(6_000);
    expect(reads).toBe(before);
  }).toPass({ timeout: 60_000 });
  const producer = await appendLate(randomUUID());
  await expect(page.getByRole("row").filter({ hasText: String(producer) })).toBeVisible();
});
