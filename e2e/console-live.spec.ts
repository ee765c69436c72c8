import { expect, type Page } from "@playwright/test";
import { test } from "./console-session";

const banner = (page: Page) => page.getByRole("banner").getByRole("status");
const answer = (page: Page) => page.getByRole("region", { name: "Status summary" });

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
  await expect(banner(page)).toContainText("This page was last updated");
  await expect(answer(page)).toContainText("Out of date: the server does not answer", { timeout: 20_000 });
  hangs = false;
  await expect(banner(page)).not.toContainText("No answer from the server", { timeout: 15_000 });
  await expect(answer(page)).not.toContainText("Out of date", { timeout: 15_000 });
});

/** A browser that is run by tests shows every tab: what it says about that is set by hand. */
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(value => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);

test("a page that nobody sees closes its stream, and goes on behind the last event when it is seen", async ({
  page,
}) => {
  const isLive = (address: string) => address.includes("/api/trpc/gate.live");
  const opened: string[] = [];
  page.on("request", request => isLive(request.url()) && opened.push(decodeURIComponent(request.url())));
  await page.goto("/console/engine");
  await expect(answer(page)).toBeVisible();
  const closed = page.waitForEvent("requestfailed", {
    predicate: request => isLive(request.url()),
    timeout: 20_000,
  });
  await setHidden(page, true);
  await closed;
  await expect(banner(page)).toContainText("This page was last updated");
  const before = opened.length;
  await setHidden(page, false);
  await expect(banner(page)).not.toContainText("This page was last updated");
  expect(opened.length).toBe(before + 1);
  expect(opened.at(-1)).toMatch(/"lastEventId":"\d+"/);
});

test("six tabs out of sight leave a seventh its connections", async ({ page, context }) => {
  test.slow();
  await context.addInitScript(() => {
    if (!location.search.includes("seen"))
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
  });
  for (let n = 0; n < 6; n += 1) {
    const tab = await context.newPage();
    await tab.goto("/console/engine");
    await expect(tab.getByRole("heading", { name: "Engine", exact: true })).toBeVisible();
    await expect(answer(tab)).toBeVisible();
  }
  await page.goto("/console/engine?seen");
  await expect(answer(page)).toBeVisible();
  await expect(page.getByText("Environment")).toBeVisible();
});
