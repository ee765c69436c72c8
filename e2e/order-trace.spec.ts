import { expect, type Page } from "@playwright/test";
import { callApi, test, token } from "./console-session";
import { expectFine } from "./expect-fine";

const run = Date.now().toString(36);

async function submit(page: Page, orders: object[]): Promise<void> {
  const sent = await callApi(page, "orders.submit", { orders }, await token(page, "orders.submit"));
  expect(sent.error).toBeUndefined();
}

test("where an order is, is found by keyboard from its account and id", async ({ page }) => {
  const order = { kind: "limit", symbol: "XRP", price: "0.5", accountId: "market-maker" };
  await page.goto("/console/stream");
  await expect(page.getByRole("heading", { name: "Stream" })).toBeVisible();
  await submit(page, [
    { ...order, orderId: `${run}-s`, side: "sell", quantity: "10" },
    { ...order, orderId: `${run}-b`, side: "buy", quantity: "4", accountId: "erin" },
    { ...order, orderId: `${run}-r`, side: "sell", quantity: "500", accountId: "erin" },
  ]);
  await page.keyboard.press("g");
  await page.keyboard.press("w");
  await expect(page.getByLabel("Account")).toBeFocused();
  await page.keyboard.type("erin");
  await page.keyboard.press("Tab");
  await page.keyboard.type(`${run}-b`);
  await page.keyboard.press("Enter");
  const conclusion = page.getByLabel("Conclusion");
  await expect(conclusion).toHaveText("It is filled: 4 of 4 bought.");
  await expect(page).toHaveURL(new RegExp(`account=erin&order=${run}-b`));
  const trades = page.getByRole("region", { name: "Trades of the order" });
  await expect(trades.getByRole("row", { name: /4 0\.5 taker market-maker$/ })).toBeVisible();
  for (const title of ["Server", "Log", "Ordered stream", "Engine", "Dead letters"])
    await expect(page.getByRole("heading", { name: title, exact: true })).toBeVisible();
  await expectFine(page);

  await page.getByLabel("Order id").fill(`${run}-r`);
  await page.getByRole("button", { name: "Trace the order" }).click();
  await expect(conclusion).toContainText("The engine refused it");
  await page.getByLabel("Order id").fill(`${run}-none`);
  await page.getByLabel("Symbol, if known").fill("xrp");
  await page.keyboard.press("Enter");
  await expect(conclusion).toHaveText("Floodgate keeps nothing of this order.");
  await page.goBack();
  await expect(conclusion).toContainText("The engine refused it");
  await expect(page.getByLabel("Order id")).toHaveValue(`${run}-r`);
});
