import { expect, type Page } from "@playwright/test";
import { runOrdersLoad } from "../src/load/orders-load";
import { callApi, originOf, queryApi, test, token } from "./console-session";
import { expectFine, LOOKS } from "./expect-fine";

const dialog = (page: Page) => page.locator("dialog[open]").last();
const panel = (page: Page) => page.getByRole("region", { name: "Suggestions", exact: true });
const rowOf = (page: Page, symbol: string) =>
  page
    .getByRole("region", { name: "Symbols", exact: true })
    .getByRole("row", { name: new RegExp(`^${symbol} `) });

async function epochOf(page: Page, symbol: string): Promise<number> {
  type List = { rows: { symbol: string; epoch: number }[] };
  const { rows } = await queryApi<List>(page, "symbol.list");
  return rows.find(row => row.symbol === symbol)?.epoch ?? 0;
}

/** In series: a full shard affects every test. */
test.describe.configure({ mode: "default" });

/** A shard takes some 800 orders/s here. */
test("a split is suggested for a symbol that nearly fills its shard; it is dismissed, and then applied", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const secret = await token(page, "orders.submit");
  const stopping = new AbortController();
  const load = runOrdersLoad(
    { url: originOf(), symbol: "ADA", rate: 1_000, seconds: 100 },
    secret,
    stopping.signal,
  );
  try {
    await page.goto("/console/symbols");
    await expect(panel(page).getByText(/Split ADA by \d/)).toBeVisible({ timeout: 40_000 });
    await expect(panel(page).getByText(/% of one shard's limit, hot for \d+ s/)).toBeVisible();
    await expect(rowOf(page, "ADA").getByText(/^\d proposed$/)).toBeVisible();
    await expectFine(page);

    await panel(page).getByRole("button", { name: "Review: split ADA by" }).click();
    await expect(dialog(page).getByRole("heading", { name: "Mark ADA hot" })).toBeVisible();
    const proposed = Number(await dialog(page).getByLabel("Split factor").inputValue());
    expect(proposed).toBeGreaterThan(1);
    await expect(dialog(page).getByLabel("Reason, for the audit log")).toHaveValue(
      /^As proposed: \d+ % of one shard's limit, hot for/,
    );
    await page.keyboard.press("Escape");

    await panel(page).getByRole("button", { name: "Dismiss: split ADA" }).click();
    await expect(
      dialog(page).getByRole("button", { name: "Dismiss the suggestion" }),
    ).toHaveAccessibleDescription("Write the reason first.");
    await dialog(page).getByLabel("Reason, for the audit log").fill("a test order");
    await dialog(page).getByRole("button", { name: "Dismiss the suggestion" }).click();
    await expect(panel(page).getByText(/ADA, split: dismissed for (30:00|29:\d\d)/)).toBeVisible();
    await expect(panel(page).getByRole("button", { name: "Review: split ADA by" })).toHaveCount(0);

    await page.getByRole("button", { name: "Mark ADA hot" }).click();
    await dialog(page)
      .getByRole("button", { name: /^Split ADA by \d$/ })
      .click();
    await expect(page.locator("dialog[open]")).toHaveCount(0);
    await expect(rowOf(page, "ADA").getByText(/^\d over \d shards/)).toBeVisible();
    // There may be suggestions for other symbols.
    await expect(panel(page).getByText(/\bADA\b/)).toHaveCount(0);
    await expect(rowOf(page, "ADA").getByText(/^(59:\d\d|1 h 00 min)$/)).toBeVisible();
  } finally {
    stopping.abort();
    await load;
  }
});

test("a split expires: the table counts down, the symbol is merged, and charts and audit log show it", async ({
  page,
}) => {
  const expiresAt = new Date(Date.now() + 8_000).toISOString();
  const plan = { symbol: "SOL", factor: 2, expectedEpoch: await epochOf(page, "SOL"), reason: "a listing" };
  expect((await callApi(page, "symbol.split", { ...plan, expiresAt })).error).toBeUndefined();
  await page.goto("/console/symbols?search=SOL");
  await expect(rowOf(page, "SOL").getByText(/^0:0\d$/)).toBeVisible();
  await expect(rowOf(page, "SOL").getByText("not split")).toBeVisible({ timeout: 20_000 });
  await expect(rowOf(page, "SOL").getByText(/^expired/)).toBeVisible();

  await page.goto("/console/stream?range=5m");
  const mark = page.getByRole("link", { name: /A split expired: symbol:SOL/ }).first();
  await expect(mark).toBeAttached({ timeout: 20_000 });
  await mark.click();
  await expect(dialog(page).getByText(/^“Hot until” .* UTC has passed\.$/)).toBeVisible();
  await expect(dialog(page).getByText("expiry", { exact: true })).toBeVisible();
});

test("a trader turns automatic mode on with bounds, and off again", async ({ page, as }) => {
  const trader = await as("trader");
  await trader.goto("/console/symbols?symbol=BTC");
  await dialog(trader).getByRole("button", { name: "Automatic mode" }).click();
  await dialog(trader).getByText("by traders and automatically").click();
  await dialog(trader).getByLabel("Maximum split").fill("50");
  const submit = dialog(trader).getByRole("button", { name: "Turn automatic mode on" });
  await expect(submit).toHaveAccessibleDescription("Type a whole number from 2 to 5.");
  await expectFine(trader);
  await dialog(trader).getByLabel("Maximum split").fill("3");
  await dialog(trader).getByLabel("Reason, for the audit log").fill("no trader is on duty at night");
  await submit.click();
  await expect(rowOf(trader, "BTC").getByText("auto", { exact: true })).toBeVisible();

  await page.goto("/console/audit?action=symbol.setAutomatic");
  await expect(page.getByRole("row", { name: /no trader is on duty at night/ }).first()).toBeVisible();

  await trader.goto("/console/symbols?symbol=BTC&request=automatic");
  await dialog(trader).getByText("by traders only").click();
  await dialog(trader).getByLabel("Reason, for the audit log").fill("a trader is on duty");
  await dialog(trader).getByRole("button", { name: "Turn automatic mode off" }).click();
  await expect(rowOf(trader, "BTC").getByText("auto", { exact: true })).toHaveCount(0);
});

const pages = [
  ["/console/symbols?symbol=ETH&request=automatic", "Automatic mode of ETH"],
  ["/console/symbols?symbol=ETH&request=dismiss", "Dismiss a suggestion for ETH"],
] as const;

for (const { theme, viewport } of LOOKS) {
  test(`its dialogs are accessible and fit: ${theme}, ${viewport.width} px`, async ({ page }) => {
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
