import { expect, type Page } from "@playwright/test";
import { runOrdersLoad } from "../src/load/orders-load";
import { askApi, callApi, originOf, test, token } from "./console-session";
import { expectFine, LOOKS } from "./expect-fine";

const dialog = (page: Page) => page.locator("dialog[open]").last();
const answer = (page: Page) => page.getByRole("region", { name: "Is it all right?" });
const rowOf = (page: Page, symbol: string) =>
  page
    .getByRole("region", { name: "Symbols", exact: true })
    .getByRole("row", { name: new RegExp(`^${symbol} `) });

type Status = { engines: { violations: number }[]; aggregators: { lagMs: number | null }[] };
type List = {
  rows: { symbol: string; flow: { offeredPerSecond: number } | null }[];
  shards: { flow: { throttledPerSecond: number } | null }[];
};

/** How long after a moment shards still refused records, to the second. */
async function lastThrottleMs(page: Page, sinceMs: number): Promise<number> {
  const range = { from: new Date(sinceMs - 10_000).toISOString(), to: new Date().toISOString() };
  type Series = { at: number[]; shards: { throttled: (number | null)[] }[] };
  const { at, shards } = await askApi<Series>(page, "orders.shardSeries", range);
  const last = at.findLast((_, i) => shards.some(({ throttled }) => (throttled[i] ?? 0) > 0));
  return last === undefined ? 0 : Math.max(0, last + 1_000 - sinceMs);
}

/** The server lets 150 records/s and 40,000 bytes/s through a shard here: some 800 orders/s. */
test("load on DOGE fills its shard, a trader splits it as recommended, shards even out, and it is cooled again", async ({
  page,
  as,
}) => {
  test.setTimeout(180_000);
  const secret = await token(page, "orders.submit");
  const trader = await as("trader");

  const stopping = new AbortController();
  const load = runOrdersLoad(
    { url: originOf(), symbol: "DOGE", rate: 1_200, seconds: 150 },
    secret,
    stopping.signal,
  );
  try {
    await trader.goto("/console/symbols");
    await expect(answer(trader).getByText(/^DOGE (is more than|fills) one shard$/)).toBeVisible({
      timeout: 30_000,
    });
    await expect(answer(trader).getByText("Throttled shards")).toBeVisible();
    await expect(rowOf(trader, "DOGE").getByText("hot", { exact: true })).toBeVisible();

    // What is recommended is for the whole load, so that has to be there.
    await expect(async () => {
      const { rows } = await askApi<List>(page, "symbol.list");
      expect(rows.find(({ symbol }) => symbol === "DOGE")?.flow?.offeredPerSecond).toBeGreaterThan(1_150);
    }).toPass({ timeout: 20_000 });
    await trader.getByRole("button", { name: "Why is DOGE hot?" }).click();
    await expect(dialog(trader).getByText(/alone it would be .* full/)).toBeVisible();
    await dialog(trader).getByRole("button", { name: "Mark DOGE hot" }).click();

    const field = dialog(trader).getByLabel("Split over how many shards");
    await field.fill("5; DROP");
    await expect(field).toHaveAccessibleDescription("Type a whole number from 1 to 5.");
    await field.fill("9");
    await expect(field).toHaveAccessibleDescription(/^There are 5 shards/);
    await dialog(trader)
      .getByRole("button", { name: /^Take \d, as recommended$/ })
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

    // The rates are over five seconds, so a second of none is seen within six.
    await expect(async () => {
      const { shards } = await askApi<List>(page, "symbol.list");
      expect(shards.map(({ flow }) => flow?.throttledPerSecond)).toEqual([0, 0, 0, 0, 0]);
    }).toPass({ timeout: 60_000 });
    const throttledForMs = await lastThrottleMs(page, splitAtMs);
    console.log("after the split, shards refused records for", throttledForMs, "ms more");
    // Three seconds are promised; what is counted is counted per second.
    expect(throttledForMs).toBeLessThan(4_000);
    await expect(answer(trader).getByText("Every symbol has room")).toBeVisible({ timeout: 15_000 });
    await expect(async () => {
      const { engines, aggregators } = await askApi<Status>(page, "orders.status");
      expect(engines.map(({ violations }) => violations).every(count => count === 0)).toBe(true);
      expect(aggregators[0]!.lagMs).toBeLessThan(250);
    }).toPass({ timeout: 15_000 });

    await trader.goto("/console/stream?range=5m");
    await expect(
      answer(trader).getByText(
        /^(Orders are on time and in order|Orders are in order; some events are dead letters)$/,
      ),
    ).toBeVisible({ timeout: 20_000 });
    await expect(trader.getByRole("button", { name: /^Shard \d: .* of its limit now$/ })).toHaveCount(5);
    await expect(trader.getByRole("link", { name: /Split a hot symbol.*symbol:DOGE/ }).first()).toBeAttached({
      timeout: 20_000,
    });
    await trader
      .getByRole("link", { name: /Split a hot symbol.*symbol:DOGE/ })
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
  await trader.getByRole("button", { name: "Cool DOGE down" }).click();
  await dialog(trader).getByLabel("Reason, for the audit log").fill("calm again");
  await dialog(trader).getByRole("button", { name: "Cool DOGE down" }).click();
  await expect(rowOf(trader, "DOGE").getByText("not split")).toBeVisible();
});

test("of two traders one is told who was faster, and starts from there", async ({ page }) => {
  const { rows } = await askApi<{ rows: { symbol: string; epoch: number }[] }>(page, "symbol.list");
  const { epoch } = rows.find(({ symbol }) => symbol === "XRP")!;
  await page.goto("/console/symbols?symbol=XRP&ask=hot");
  await dialog(page).getByLabel("Split over how many shards").fill("3");
  await dialog(page).getByLabel("Reason, for the audit log").fill("mine");
  const other = { symbol: "XRP", factor: 2, expectedEpoch: epoch, reason: "another trader's" };
  expect((await callApi(page, "symbol.split", other)).error).toBeUndefined();
  await expect(dialog(page).getByRole("alert")).toContainText("because “another trader's”");
  await expect(dialog(page).getByRole("button", { name: "Split XRP by 3" })).toHaveAccessibleDescription(
    /Somebody else changed it/,
  );
  await dialog(page).getByRole("button", { name: "Start from there" }).click();
  await expect(dialog(page).getByRole("alert")).toHaveCount(0);
});

test("a change of a split leaves as it is what nobody touched", async ({ page }) => {
  type Rows = { rows: { symbol: string; epoch: number; factor: number; expiresAt: string }[] };
  const sol = async () =>
    (await askApi<Rows>(page, "symbol.list")).rows.find(({ symbol }) => symbol === "SOL")!;
  const expiresAt = new Date(Date.now() + 3 * 3_600_000).toISOString();
  const plan = { symbol: "SOL", factor: 2, strategy: "account", placement: "plain", expiresAt };
  const made = { ...plan, expectedEpoch: (await sol()).epoch, reason: "a listing" };
  expect((await callApi(page, "symbol.split", made)).error).toBeUndefined();
  await page.goto("/console/symbols?symbol=SOL&ask=hot");
  await expect(dialog(page).getByLabel(/^as it is now \(until \d/)).toBeChecked();
  await expect(dialog(page).getByLabel(/^its account's sub-key/)).toBeChecked();
  await expect(dialog(page).getByLabel(/^1 to N/)).toBeChecked();
  const field = dialog(page).getByLabel("Split over how many shards");
  await expect(field).toHaveValue("2");
  await field.fill("3");
  await dialog(page).getByLabel("Reason, for the audit log").fill("more orders");
  // What was changed a moment ago has to stay for five seconds.
  await expect(async () => {
    await dialog(page).getByRole("button", { name: "Split SOL by 3" }).click();
    await expect(page.locator("dialog[open]")).toHaveCount(0, { timeout: 2_000 });
  }).toPass({ timeout: 20_000 });
  expect(await sol()).toMatchObject({ ...plan, factor: 3 });
});

test("nothing is sent before its own preview is there; figures that are not read anew say so", async ({
  page,
}) => {
  let isCut = false;
  let isHeld = false;
  await page.route("**/api/trpc/symbol.preview**", route => {
    if (isCut) return route.abort();
    if (!isHeld) return route.continue();
  });
  await page.goto("/console/symbols?symbol=ETH&ask=hot");
  const preview = dialog(page).getByRole("region", { name: "Preview" });
  const field = dialog(page).getByLabel("Split over how many shards");
  const button = (factor: number) => dialog(page).getByRole("button", { name: `Split ETH by ${factor}` });
  await field.fill("3");
  await dialog(page).getByLabel("Reason, for the audit log").fill("a test");
  await expect(preview.getByText(/^3 sub-keys on 3 shards/)).toBeVisible();
  await expect(button(3)).not.toHaveAttribute("aria-disabled", "true");
  isHeld = true;
  await field.fill("5");
  await field.press("Enter");
  await expect(button(5)).toHaveAccessibleDescription("Wait for the preview.");
  await expect(preview).toHaveAttribute("aria-busy", "true");
  isHeld = false;
  await field.fill("4");
  await expect(preview.getByText(/^4 sub-keys on 4 shards/)).toBeVisible();
  isCut = true;
  await expect(preview.getByText("Old figures")).toBeVisible({ timeout: 15_000 });
  isCut = false;
  await expect(preview.getByText("Old figures")).toHaveCount(0, { timeout: 15_000 });
  const { rows } = await askApi<{ rows: { symbol: string; factor: number }[] }>(page, "symbol.list");
  expect(rows.find(({ symbol }) => symbol === "ETH")?.factor).toBe(1);
});

test("a role that may not split sees why", async ({ as }) => {
  const viewer = await as("viewer");
  await viewer.goto("/console/symbols");
  await expect(viewer.getByRole("button", { name: "Mark BTC hot" })).toHaveAccessibleDescription(
    /may not do this/,
  );
});

const pages = [
  ["/console/symbols", "Symbols"],
  ["/console/symbols?symbol=BTC", "BTC"],
  ["/console/symbols?symbol=BTC&ask=hot", "Mark BTC hot"],
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
