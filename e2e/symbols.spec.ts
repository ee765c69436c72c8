import { expect, type Page } from "@playwright/test";
import { runOrdersLoad } from "../src/load/orders-load";
import { callApi, freshName, originOf, queryApi, test, token } from "./console-session";
import { expectFine, LOOKS } from "./expect-fine";

const dialog = (page: Page) => page.locator("dialog[open]").last();
const summary = (page: Page) => page.getByRole("region", { name: "Status summary" });
const rowOf = (page: Page, symbol: string) =>
  page
    .getByRole("region", { name: "Symbols", exact: true })
    .getByRole("row", { name: new RegExp(`^${symbol} `) });

type Status = { engines: { violations: number }[]; aggregators: { lagMs: number | null }[] };
type List = {
  rows: { symbol: string; factor: number; epoch: number; flow: { offeredPerSecond: number } | null }[];
  shards: { flow: { throttledPerSecond: number } | null }[];
};

/** How long after a moment shards still throttled records, in whole seconds. */
async function lastThrottleMs(page: Page, sinceMs: number): Promise<number> {
  const range = { from: new Date(sinceMs - 10_000).toISOString(), to: new Date().toISOString() };
  type Series = { at: number[]; shards: { throttled: (number | null)[] }[] };
  const { at, shards } = await queryApi<Series>(page, "orders.shardSeries", range);
  const last = at.findLast((_, i) => shards.some(({ throttled }) => (throttled[i] ?? 0) > 0));
  return last === undefined ? 0 : Math.max(0, last + 1_000 - sinceMs);
}

/** The server lets 150 records/s and 40,000 bytes/s through a shard here. */
const SHARD_ORDERS_PER_SECOND = 800;
const LOAD_ORDERS_PER_SECOND = 1_200;
/** The load has at most 64 requests of 60 orders without an answer. */
const MAX_BACKLOG = 64 * 60;

/** Nothing if it is not split: the first try of a test may have ended in the middle. */
async function mergeIfSplit(page: Page, symbol: string): Promise<void> {
  const { rows } = await queryApi<List>(page, "symbol.list");
  const row = rows.find(row => row.symbol === symbol);
  if (!row || row.factor === 1) return;
  const merge = { symbol, factor: 1, expectedEpoch: row.epoch, reason: "before the test" };
  await expect(async () => {
    expect((await callApi(page, "symbol.split", merge)).error).toBeUndefined();
  }).toPass({ timeout: 20_000 });
}

test("DOGE fills its shard, a trader splits it as recommended, the load evens out, and DOGE is merged again", async ({
  page,
  as,
}) => {
  test.setTimeout(180_000);
  const secret = await token(page, "orders.submit");
  const trader = await as("trader");
  await mergeIfSplit(page, "DOGE");

  const stopping = new AbortController();
  const load = runOrdersLoad(
    { url: originOf(), symbol: "DOGE", rate: LOAD_ORDERS_PER_SECOND, seconds: 150 },
    secret,
    stopping.signal,
  );
  try {
    await trader.goto("/console/symbols");
    await expect(summary(trader).getByText(/^DOGE (exceeds|fills) one shard$/)).toBeVisible({
      timeout: 30_000,
    });
    await expect(summary(trader).getByText("Throttled shards")).toBeVisible();
    await expect(rowOf(trader, "DOGE").getByText("hot, overloaded", { exact: true })).toBeVisible();

    // The recommendation needs the whole load.
    await expect(async () => {
      const { rows } = await queryApi<List>(page, "symbol.list");
      expect(rows.find(({ symbol }) => symbol === "DOGE")?.flow?.offeredPerSecond).toBeGreaterThan(1_150);
    }).toPass({ timeout: 20_000 });
    await trader.getByRole("button", { name: "Inspect DOGE" }).click();
    await expect(dialog(trader).getByText(/Without a split, DOGE needs .* % of it/)).toBeVisible();
    await dialog(trader).getByRole("button", { name: "Mark DOGE hot" }).click();

    const field = dialog(trader).getByLabel("Split factor");
    await field.fill("5; DROP");
    await expect(field).toHaveAccessibleDescription("Type a whole number from 1 to 5.");
    await field.fill("9");
    await expect(field).toHaveAccessibleDescription(/^There are 5 shards/);
    await dialog(trader)
      .getByRole("button", { name: /^Use \d \(recommended\)$/ })
      .click();
    const factor = Number(await field.inputValue());
    expect(factor).toBeGreaterThan(1);
    const preview = dialog(trader).getByRole("region", { name: "Preview" });
    await expect(preview.getByText(`${factor} sub-keys on ${factor} shards`)).toBeVisible();
    await expectFine(trader);
    await dialog(trader).getByLabel("Reason, for the audit log").fill("DOGE takes off");
    await dialog(trader)
      .getByRole("button", { name: `Split DOGE by ${factor}` })
      .click();
    await expect(trader.locator("dialog[open]")).toHaveCount(0);
    const splitAtMs = Date.now();
    await expect(rowOf(trader, "DOGE").getByText(`${factor} over ${factor} shards`)).toBeVisible();

    // The rates are averages of five seconds: they are 0 six seconds after the last throttled record.
    await expect(async () => {
      const { shards } = await queryApi<List>(page, "symbol.list");
      expect(shards.map(({ flow }) => flow?.throttledPerSecond)).toEqual([0, 0, 0, 0, 0]);
    }).toPass({ timeout: 60_000 });
    const throttledForMs = await lastThrottleMs(page, splitAtMs);
    console.log("after the split, shards throttled records for", throttledForMs, "ms more");
    // What had piled up drains through the room that the split made; three seconds are allowed beside it.
    const drainMs = (MAX_BACKLOG / (factor * SHARD_ORDERS_PER_SECOND - LOAD_ORDERS_PER_SECOND)) * 1_000;
    expect(throttledForMs).toBeLessThan(drainMs + 3_000);
    await expect(
      summary(trader).getByText(/^(Every shard has room|Shard \d is at [\d.]+ % of its limit)$/),
    ).toBeVisible({ timeout: 15_000 });
    await expect(async () => {
      const { engines, aggregators } = await queryApi<Status>(page, "orders.status");
      expect(engines.map(({ violations }) => violations).every(count => count === 0)).toBe(true);
      expect(aggregators[0]!.lagMs).toBeLessThan(250);
    }).toPass({ timeout: 15_000 });

    await trader.goto("/console/stream?range=5m");
    await expect(
      summary(trader).getByText(
        /^(Orders are on time and in order|Orders are in order; some events are dead letters)$/,
      ),
    ).toBeVisible({ timeout: 20_000 });
    await expect(trader.getByRole("button", { name: /^Shard \d: .* of its limit now$/ })).toHaveCount(5);
    await expect(
      trader.getByRole("link", { name: /Split or merge a symbol.*symbol:DOGE/ }).first(),
    ).toBeAttached({
      timeout: 20_000,
    });
    await trader
      .getByRole("link", { name: /Split or merge a symbol.*symbol:DOGE/ })
      .first()
      .click();
    await expect(dialog(trader).getByText("DOGE takes off")).toBeVisible();
  } finally {
    stopping.abort();
  }
  const report = await load;
  console.log("load", JSON.stringify(report));
  expect(report.failed).toBe(0);

  await trader.goto("/console/symbols?search=DOGE");
  await expect(rowOf(trader, "DOGE").getByText("can merge", { exact: true })).toBeVisible({
    timeout: 20_000,
  });
  await trader.getByRole("button", { name: "Cool down DOGE", exact: true }).click();
  await dialog(trader).getByLabel("Reason, for the audit log").fill("calm again");
  await dialog(trader).getByRole("button", { name: "Cool down DOGE" }).click();
  await expect(rowOf(trader, "DOGE").getByText("not split")).toBeVisible();
});

test("the second of two traders sees the conflict, and starts from the new state", async ({ page }) => {
  const { rows } = await queryApi<{ rows: { symbol: string; epoch: number }[] }>(page, "symbol.list");
  const { epoch } = rows.find(({ symbol }) => symbol === "XRP")!;
  await page.goto("/console/symbols?symbol=XRP&request=split");
  await dialog(page).getByLabel("Split factor").fill("3");
  await dialog(page).getByLabel("Reason, for the audit log").fill("mine");
  const other = { symbol: "XRP", factor: 2, expectedEpoch: epoch, reason: "another trader's" };
  expect((await callApi(page, "symbol.split", other)).error).toBeUndefined();
  await expect(dialog(page).getByRole("alert")).toContainText("because “another trader's”");
  await expect(dialog(page).getByRole("button", { name: "Split XRP by 3" })).toHaveAccessibleDescription(
    /Another user changed the split/,
  );
  await dialog(page).getByRole("button", { name: "Start from the new state" }).click();
  await expect(dialog(page).getByRole("alert")).toHaveCount(0);
});

test("a change of a split keeps each field that was not edited", async ({ page }) => {
  type Rows = { rows: { symbol: string; epoch: number; factor: number; expiresAt: string }[] };
  const sol = async () =>
    (await queryApi<Rows>(page, "symbol.list")).rows.find(({ symbol }) => symbol === "SOL")!;
  const expiresAt = new Date(Date.now() + 3 * 3_600_000).toISOString();
  const plan = { symbol: "SOL", factor: 2, strategy: "account", placement: "plain", expiresAt };
  const made = { ...plan, expectedEpoch: (await sol()).epoch, reason: "a listing" };
  expect((await callApi(page, "symbol.split", made)).error).toBeUndefined();
  await page.goto("/console/symbols?symbol=SOL&request=split");
  await expect(dialog(page).getByLabel(/^unchanged \(until \d/)).toBeChecked();
  await expect(dialog(page).getByLabel(/^sub-key of the account/)).toBeChecked();
  await expect(dialog(page).getByLabel(/^1 to N/)).toBeChecked();
  const field = dialog(page).getByLabel("Split factor");
  await expect(field).toHaveValue("2");
  await field.fill("3");
  await dialog(page).getByLabel("Reason, for the audit log").fill("more orders");
  // A plan can be changed again after five seconds.
  await expect(async () => {
    await dialog(page).getByRole("button", { name: "Split SOL by 3" }).click();
    await expect(page.locator("dialog[open]")).toHaveCount(0, { timeout: 2_000 });
  }).toPass({ timeout: 20_000 });
  expect(await sol()).toMatchObject({ ...plan, factor: 3 });
});

test("a split waits for its own preview; a preview that is not read again is out of date", async ({
  page,
}) => {
  let isCut = false;
  let isPaused = false;
  await page.route("**/api/trpc/symbol.preview**", route => {
    if (isCut) return route.abort();
    if (!isPaused) return route.continue();
  });
  await page.goto("/console/symbols?symbol=ETH&request=split");
  const preview = dialog(page).getByRole("region", { name: "Preview" });
  const field = dialog(page).getByLabel("Split factor");
  const button = (factor: number) => dialog(page).getByRole("button", { name: `Split ETH by ${factor}` });
  await field.fill("3");
  await dialog(page).getByLabel("Reason, for the audit log").fill("a test");
  await expect(preview.getByText(/^3 sub-keys on 3 shards/)).toBeVisible();
  await expect(button(3)).not.toHaveAttribute("aria-disabled", "true");
  isPaused = true;
  await field.fill("5");
  await field.press("Enter");
  await expect(button(5)).toHaveAccessibleDescription("Wait for the preview.");
  await expect(preview).toHaveAttribute("aria-busy", "true");
  isPaused = false;
  await field.fill("4");
  await expect(preview.getByText(/^4 sub-keys on 4 shards/)).toBeVisible();
  isCut = true;
  await expect(preview.getByText("Out of date")).toBeVisible({ timeout: 15_000 });
  isCut = false;
  await expect(preview.getByText("Out of date")).toHaveCount(0, { timeout: 15_000 });
  const { rows } = await queryApi<{ rows: { symbol: string; factor: number }[] }>(page, "symbol.list");
  expect(rows.find(({ symbol }) => symbol === "ETH")?.factor).toBe(1);
});

/** Fills in the reason and confirms the open dialog, which then closes. */
async function confirm(page: Page, verb: string): Promise<void> {
  await dialog(page)
    .getByLabel(/^Reason/)
    .fill("an end-to-end test");
  await expectFine(page);
  await dialog(page).getByRole("button", { name: verb, exact: true }).click();
  await expect(page.locator("dialog[open]")).toHaveCount(0);
}

test("a trader lists a symbol, its orders are matched, and it is halted, resumed and delisted", async ({
  page,
  as,
}) => {
  test.setTimeout(120_000);
  const symbol = `E${freshName().slice(3).toUpperCase()}`;
  const secret = await token(page, "orders.submit");
  const submit = (
    orderId: string,
    order: object = { kind: "limit", side: "buy", price: "1.25", quantity: "3" },
  ) => callApi(page, "orders.submit", { orders: [{ symbol, accountId: "mia", orderId, ...order }] }, secret);
  const stateOf = async (orderId: string) =>
    (await queryApi<{ state: string }>(page, "orders.get", { accountId: "mia", orderId })).state;

  const trader = await as("trader");
  await trader.goto("/console/symbols");
  await trader.getByRole("button", { name: "Add symbol" }).click();
  await dialog(trader).getByLabel("Symbol", { exact: true }).fill(symbol);
  await dialog(trader).getByLabel("Price decimals").fill("2");
  await dialog(trader).getByLabel("Quantity decimals").fill("0");
  await confirm(trader, `Add ${symbol}`);
  expect((await submit(`${symbol}-1`)).error).toBeUndefined();
  await expect(async () => expect(await stateOf(`${symbol}-1`)).toBe("resting")).toPass({ timeout: 20_000 });

  await trader.goto(`/console/symbols?search=${symbol}&symbol=${symbol}`);
  await dialog(trader)
    .getByRole("button", { name: `Halt ${symbol}` })
    .click();
  await confirm(trader, `Halt ${symbol}`);
  await expect(rowOf(trader, symbol).getByText("halted", { exact: true })).toBeVisible();
  await expect(summary(trader).getByText("Halted symbols")).toBeVisible();
  const refused = await submit(`${symbol}-2`);
  expect(refused.status).toBe(409);
  expect(refused.error?.message).toContain("is halted: an end-to-end test. It accepts only cancels");

  await trader.goto(`/console/symbols?search=${symbol}&symbol=${symbol}&request=delist`);
  await dialog(trader)
    .getByLabel(/^Reason/)
    .fill("an end-to-end test");
  await dialog(trader)
    .getByLabel(new RegExp(`^Type ${symbol}`))
    .fill(symbol);
  const delist = dialog(trader).getByRole("button", { name: `Delist ${symbol}` });
  await expect(delist).toHaveAccessibleDescription(/has 1 open order\. Cancel it first/);
  expect((await submit(`${symbol}-1`, { kind: "cancel" })).error).toBeUndefined();
  await expect(delist).not.toHaveAttribute("aria-disabled", "true", { timeout: 20_000 });

  await trader.goto(`/console/symbols?search=${symbol}&symbol=${symbol}&request=resume`);
  await confirm(trader, `Resume ${symbol}`);
  await expect(rowOf(trader, symbol).getByText("cold", { exact: true })).toBeVisible();
  expect((await submit(`${symbol}-2`)).error).toBeUndefined();
  expect((await submit(`${symbol}-2`, { kind: "cancel" })).error).toBeUndefined();

  await trader.goto(`/console/symbols?search=${symbol}&symbol=${symbol}&request=halt`);
  await confirm(trader, `Halt ${symbol}`);
  await trader.goto(`/console/symbols?search=${symbol}&symbol=${symbol}&request=delist`);
  await dialog(trader)
    .getByLabel(new RegExp(`^Type ${symbol}`))
    .fill(symbol);
  await expect(
    dialog(trader)
      .getByText(/can still be on their way/)
      .first(),
  ).toBeVisible();
  await dialog(trader)
    .getByLabel(/^Reason/)
    .fill("an end-to-end test");
  await expect(delist).not.toHaveAttribute("aria-disabled", "true", { timeout: 20_000 });
  await delist.click();
  await expect(trader.locator("dialog[open]")).toHaveCount(0);
  await expect(rowOf(trader, symbol)).toHaveCount(0);
  expect((await submit(`${symbol}-3`)).error?.message).toContain(`There is no symbol “${symbol}”`);
});

test("a role without the permission to split sees the reason", async ({ as }) => {
  const viewer = await as("viewer");
  await viewer.goto("/console/symbols");
  await expect(viewer.getByRole("button", { name: "Mark BTC hot" })).toHaveAccessibleDescription(
    /may not do this/,
  );
});

const pages = [
  ["/console/symbols", "Symbols"],
  ["/console/symbols?symbol=BTC", "BTC"],
  ["/console/symbols?symbol=BTC&request=split", "Mark BTC hot"],
  ["/console/symbols?request=add", "Add a symbol"],
  ["/console/symbols?symbol=BTC&request=halt", "Halt BTC"],
  ["/console/stream", "Stream"],
  ["/console/dead-letters", "Dead letters"],
] as const;

for (const { theme, viewport } of LOOKS) {
  test(`the order side is accessible and fits: ${theme}, ${viewport.width} px`, async ({ page }) => {
    test.slow();
    await page.setViewportSize(viewport);
    await page.addInitScript(choice => localStorage.setItem("console-theme", choice), theme);
    for (const [address, heading] of pages) {
      await page.goto(address);
      await expect(page.getByRole("heading", { name: heading, exact: true })).toBeVisible();
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
      await expectFine(page);
    }
  });
}
