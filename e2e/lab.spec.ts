import { expect, type Page } from "@playwright/test";
import { test } from "./console-session";
import { expectFine, LOOKS } from "./expect-fine";

const summary = (page: Page) => page.getByRole("region", { name: "Lab status" });
const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const SCENARIOS = ["Random keys", "One key per symbol", "Split, plain suffixes", "Split, planned suffixes"];

// The lab has one run at a time, for all users.
test.describe.configure({ mode: "serial" });

test("a trader runs the scenarios, watches their figures, and opens the run again", async ({ page, as }) => {
  test.setTimeout(120_000);
  const trader = await as("trader");
  await trader.goto("/console/lab?rate=400&shards=2&seconds=4&producers=2");
  const shards = trader.getByLabel("Shards", { exact: true });
  await shards.fill("5; DROP");
  await expect(shards).toHaveAccessibleDescription("Shards: a whole number from 2 to 10.");
  const run = trader.getByRole("button", { name: "Run the scenarios" });
  await expect(run).toHaveAccessibleDescription("Shards: a whole number from 2 to 10.");
  await shards.fill("2");
  await run.click();
  await expect(summary(trader).getByRole("status")).toHaveText(/^Running: /, { timeout: 15_000 });
  await expect(card(trader, "Random keys").getByText("Running")).toBeVisible({ timeout: 15_000 });
  await expect(run).toHaveAccessibleDescription(/the lab runs one at a time/);
  const last = card(trader, "Split, planned suffixes");
  await expect(last.getByRole("img", { name: "Records per shard: no data" })).toBeVisible();
  await expectFine(trader);
  await expect(summary(trader).getByRole("status")).toHaveText("Done", { timeout: 60_000 });
  for (const name of SCENARIOS) {
    await expect(card(trader, name).getByText(/^\d+ \/s$/)).toBeVisible();
    await expect(card(trader, name).getByRole("img", { name: /^Records per shard: shard 0 / })).toBeVisible();
  }
  await expect(card(trader, "Split, planned suffixes").getByText("In order, on time")).toBeVisible();

  // Another user sees the same run; a link leads back to it.
  await page.goto("/console/lab");
  await page.getByRole("region", { name: "Last runs" }).getByRole("button").first().click();
  await expect(page).toHaveURL(/run=\d+/);
  await expect(summary(page).getByText(/400 orders\/s of DOGE from 2 producers, 2 shards/)).toBeVisible();
  await page.goto("/console/audit?action=lab.run");
  await page
    .getByRole("row", { name: /lab:run \d+/ })
    .first()
    .click();
  await page.getByRole("link", { name: /^Run \d+ in the lab$/ }).click();
  await expect(page).toHaveURL(/\/console\/lab\?run=\d+$/);
});

test("a run is cancelled; a viewer may watch it but not start one", async ({ page, as }) => {
  test.setTimeout(90_000);
  await page.goto("/console/lab?rate=200&shards=2&seconds=20");
  await page.getByRole("button", { name: "Run the scenarios" }).click();
  await expect(summary(page).getByRole("status")).toHaveText(/^Running: /, { timeout: 20_000 });
  const viewer = await as("viewer");
  await viewer.goto("/console/lab");
  await expect(summary(viewer).getByRole("status")).toHaveText(/^Running: /);
  for (const name of [/^Run the scenarios/, /^Cancel run/])
    await expect(viewer.getByRole("button", { name })).toHaveAccessibleDescription(/may not do this/);
  await page.getByRole("button", { name: /^Cancel run/ }).click();
  await expect(summary(page).getByRole("status")).toHaveText(/^Cancelled by /, { timeout: 15_000 });
  await expect(summary(viewer).getByRole("status")).toHaveText(/^Cancelled by /, { timeout: 15_000 });
});

for (const { theme, viewport } of LOOKS) {
  test(`the lab is accessible and fits: ${theme}, ${viewport.width} px`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await page.addInitScript(choice => localStorage.setItem("console-theme", choice), theme);
    for (const address of ["/console/lab", "/console/lab?rate=5"]) {
      await page.goto(address);
      await expect(page.getByRole("heading", { name: "Scenario lab", exact: true })).toBeVisible();
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
      await expectFine(page);
    }
  });
}
