import { expect, type Page } from "@playwright/test";
import { test } from "./console-session";

const banner = (page: Page) => page.getByRole("banner").getByRole("status");
const answer = (page: Page) => page.getByRole("region", { name: "Is it all right?" });

test("a server that hangs instead of refusing is said to be lost, until it answers", async ({ page }) => {
  test.slow();
  let hangs = false;
  await page.route("**/api/trpc/**", route => {
    if (/gate\.live/.test(route.request().url())) return;
    if (!hangs) return route.continue();
  });
  await page.goto("/console/engine");
  await expect(page.getByText("Environment")).toBeVisible({ timeout: 15_000 });
  await expect(answer(page)).toBeVisible();
  hangs = true;
  await expect(banner(page)).toContainText("No answer from the server", { timeout: 15_000 });
  await expect(banner(page)).toContainText("What you see was true");
  await expect(answer(page)).toContainText("A while ago: the server does not answer", { timeout: 20_000 });
  hangs = false;
  await expect(banner(page)).not.toContainText("No answer from the server", { timeout: 15_000 });
  await expect(answer(page)).not.toContainText("A while ago", { timeout: 15_000 });
});
