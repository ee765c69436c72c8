import { expect, type Page } from "@playwright/test";
import { queryApi, test } from "./console-session";
import { expectFine, LOOKS } from "./expect-fine";

const strips = (page: Page) => page.getByRole("button", { name: /^Shard \d+: .* of its limit now$/ });
const shards = (page: Page) => page.getByRole("region", { name: "Shards over time", exact: true });
const drawer = (page: Page) => page.locator("dialog[open]");

test("the heat map of the shards is read and opened cell by cell, by keyboard and by mouse", async ({
  page,
}) => {
  await page.goto("/console/stream?range=5m");
  await expect(strips(page).first()).toBeVisible({ timeout: 20_000 });
  // The map is one tab stop.
  await expect(shards(page).locator(".heat-strip[tabindex='0']")).toHaveCount(1);
  await strips(page).first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(strips(page).nth(1)).toBeFocused();
  const reading = shards(page).getByRole("status");
  await expect(reading).toHaveText(/^Shard 1, \d\d:\d\d:\d\d: /);
  const before = await reading.textContent();
  await page.keyboard.press("ArrowLeft");
  await expect(reading).not.toHaveText(before ?? "");
  await page.keyboard.press("Enter");
  await expect(drawer(page).getByRole("heading", { name: "Shard 1", exact: true })).toBeVisible();
  await expect(page).toHaveURL(/shard=1&at=\d+/);
  await expect(drawer(page).getByRole("region", { name: "Symbols on this shard" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
  await expect(strips(page).nth(1)).toBeFocused();

  await strips(page)
    .nth(2)
    .click({ position: { x: 20, y: 8 } });
  await expect(drawer(page).getByRole("heading", { name: "Shard 2", exact: true })).toBeVisible();
  await expect(drawer(page).locator(".consequence")).toHaveText(/\d{4}.*: /);
});

test("a link to a shard opens the shard, or says that there is none", async ({ page }) => {
  await page.goto("/console/stream?shard=3");
  await expect(drawer(page).getByRole("heading", { name: "Shard 3", exact: true })).toBeVisible({
    timeout: 20_000,
  });
  await page.goto("/console/stream?shard=none");
  await expect(drawer(page).getByText("There is no shard “none”.")).toBeVisible({ timeout: 20_000 });
});

type ShardList = { rows: { shardId: string; neighbours: string[] }[] };
const dialog = (page: Page) => page.locator("dialog[open]").last();

test("a trader adds a shard from the screen, and merges its halves again", async ({ as }) => {
  const trader = await as("trader");
  await trader.goto("/console/stream?range=5m");
  await trader.getByRole("button", { name: "Add shard" }).click();
  await expect(dialog(trader).getByRole("heading", { name: "Add a shard" })).toBeVisible();
  const { rows } = await queryApi<ShardList>(trader, "shards.list");
  // Other tests read the first shards.
  const last = rows.at(-1)!.shardId;
  await dialog(trader).getByLabel("Shard", { exact: true }).selectOption(last);
  const preview = dialog(trader).getByRole("region", { name: "Preview" });
  await expect(preview.getByText(`${rows.length + 1} shards instead of ${rows.length}`)).toBeVisible();
  await expect(preview.getByText(`${last} (closes)`)).toBeVisible();
  const submit = dialog(trader).getByRole("button", { name: `Split shard ${last}` });
  await expect(submit).toHaveAccessibleDescription("Write the reason first.");
  await dialog(trader).getByLabel("Reason, for the audit log").fill("a launch at noon");
  await expectFine(trader);
  await submit.click();
  await expect(trader.getByText(new RegExp(`^Shard ${last} became \\d+ and \\d+$`)).first()).toBeVisible();
  await expect(trader.locator("dialog[open]")).toHaveCount(0);

  const after = await queryApi<ShardList>(trader, "shards.list");
  const upper = after.rows.at(-1)!;
  const [lower] = upper.neighbours as [string];
  await trader.goto(`/console/stream?shard=${upper.shardId}`);
  await dialog(trader).getByRole("button", { name: "Merge with neighbour" }).click();
  await dialog(trader).getByLabel("Neighbour").selectOption(lower);
  await dialog(trader).getByLabel("Reason, for the audit log").fill("the launch is over");
  await dialog(trader)
    .getByRole("button", { name: `Merge ${upper.shardId} with ${lower}` })
    .click();
  await expect(trader.getByText(/^Shards \d+ and \d+ became \d+$/).first()).toBeVisible();
  expect((await queryApi<ShardList>(trader, "shards.list")).rows).toHaveLength(rows.length);
});

test("a viewer sees why the shards may not be changed", async ({ as }) => {
  const viewer = await as("viewer");
  await viewer.goto("/console/stream?shard=0");
  for (const name of ["Split shard", "Merge with neighbour"]) {
    const button = dialog(viewer).getByRole("button", { name });
    await expect(button).toHaveAttribute("aria-disabled", "true", { timeout: 20_000 });
    await expect(button).toHaveAccessibleDescription(/viewer/);
  }
});

for (const { theme, viewport } of LOOKS) {
  test(`a shard's details are accessible and fit: ${theme}, ${viewport.width} px`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await page.addInitScript(choice => localStorage.setItem("console-theme", choice), theme);
    await page.goto("/console/stream?shard=0");
    await expect(drawer(page).getByRole("heading", { name: "Shard 0", exact: true })).toBeVisible({
      timeout: 20_000,
    });
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    await expectFine(page);
  });
}
