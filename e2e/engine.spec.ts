import { expect, type Page } from "@playwright/test";
import { callApi, test, token } from "./console-session";
import { expectFine, LOOKS } from "./expect-fine";
import { tabTo } from "./keyboard";

const summary = (page: Page) => page.getByRole("region", { name: "Status summary" });
const drawer = (page: Page) => page.locator("dialog[open]").last();
const rowOf = (page: Page, symbol: string) =>
  page
    .getByRole("region", { name: "Engines", exact: true })
    .getByRole("row", { name: new RegExp(`^${symbol} `) });

const run = Date.now().toString(36);
let serial = 0;
function order(change: object) {
  serial += 1;
  const base = { kind: "limit", symbol: "ETH", orderId: `${run}-${serial}`, accountId: "market-maker" };
  return { ...base, price: "1", quantity: "1", ...change };
}

/** Submits these orders with a service token. */
async function submit(page: Page, orders: object[]): Promise<void> {
  const sent = await callApi(page, "orders.submit", { orders }, await token(page, "orders.submit"));
  expect(sent.error).toBeUndefined();
}

test("a symbol's book, trades, rejects, position and backlog are live, and reached by keyboard alone", async ({
  page,
}) => {
  await page.goto("/console/stream");
  await expect(page.getByRole("heading", { name: "Stream" })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await expect(page).toHaveURL(/\/console\/engine$/);
  await expect(summary(page).getByText("All orders are matched in order")).toBeVisible({ timeout: 20_000 });
  await tabTo(page, rowOf(page, "ADA"));
  for (let n = 0; n < 3; n += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/symbol=ETH/);
  await expect(drawer(page).getByText("No buy orders.")).toBeVisible();

  await submit(page, [
    order({ side: "sell", price: "3125.5", quantity: "2" }),
    order({ side: "buy", price: "3119.25" }),
    order({ side: "buy", price: "3125.5", quantity: "0.5", accountId: "carol" }),
    order({ side: "sell", price: "1", accountId: "dave" }),
  ]);
  const book = drawer(page).getByRole("region", { name: "Top of the book" });
  await expect(book.getByText("3119.25")).toBeVisible();
  await expect(book.getByText("1.50000000")).toBeVisible();
  await expect(book.getByText("6.25")).toBeVisible();
  await expect(
    drawer(page).getByRole("row", { name: /^3125\.50 0\.50000000 carol market-maker/ }),
  ).toBeVisible();
  await expect(drawer(page).getByRole("region", { name: "Rejects by cause" })).toContainText(
    "insufficient balance",
  );
  await drawer(page).getByText("The newest 1 rejects").click();
  await expect(drawer(page).getByRole("cell", { name: "dave" })).toBeVisible();
  await expectFine(page);
  await page.keyboard.press("Escape");
  await expect(rowOf(page, "ETH")).toContainText("1 at 3119.25");
  await expect(rowOf(page, "ETH")).toContainText("caught up");
  await expect(rowOf(page, "ETH")).toBeFocused();
});

test("the page says that the engines cannot be read", async ({ page }) => {
  await page.route(/\/api\/trpc\/(engine\.list|gate\.live)/, route => route.abort());
  await page.goto("/console/engine");
  await expect(page.getByRole("alert").getByText("No answer from the server")).toBeVisible({
    timeout: 30_000,
  });
});

for (const { theme, viewport } of LOOKS) {
  test(`the engine's page is accessible and fits: ${theme}, ${viewport.width} px`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await page.addInitScript(choice => localStorage.setItem("console-theme", choice), theme);
    for (const [address, heading] of [
      ["/console/engine", "Engine"],
      ["/console/engine?symbol=BTC", "BTC"],
    ] as const) {
      await page.goto(address);
      await expect(page.getByRole("heading", { name: heading, exact: true })).toBeVisible();
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
      await expectFine(page);
    }
  });
}
