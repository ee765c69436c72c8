import { expect, type Page } from "@playwright/test";
import { test } from "./console-session";

const banner = (page: Page) => page.getByRole("banner").getByRole("status");
const summary = (page: Page) => page.getByRole("region", { name: "Status summary" });

test("a server that hangs is shown as lost until it answers", async ({ page }) => {
  test.slow();
  let hangs = false;
  await page.route("**/api/trpc/**", route => {
    if (/gate\.live/.test(route.request().url())) return;
    if (!hangs) return route.continue();
  });
  await page.goto("/console/engine");
  await expect(page.getByText("Environment")).toBeVisible({ timeout: 15_000 });
  await expect(summary(page)).toBeVisible();
  hangs = true;
  await expect(banner(page)).toContainText("No answer from the server", { timeout: 15_000 });
  await expect(banner(page)).toContainText("This page was last updated");
  await expect(summary(page)).toContainText("Out of date: the server does not answer", { timeout: 20_000 });
  hangs = false;
  await expect(banner(page)).not.toContainText("No answer from the server", { timeout: 15_000 });
  await expect(summary(page)).not.toContainText("Out of date", { timeout: 15_000 });
});

/** A browser under test reports every tab as visible, so the test sets the visibility. */
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(value => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);

test("a hidden page closes its stream, and resumes after the last event when it is visible", async ({
  page,
}) => {
  const isLive = (address: string) => address.includes("/api/trpc/gate.live");
  const opened: string[] = [];
  page.on("request", request => isLive(request.url()) && opened.push(decodeURIComponent(request.url())));
  await page.goto("/console/engine");
  await expect(summary(page)).toBeVisible();
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

test("six hidden tabs leave connections for a seventh", async ({ page, context }) => {
  test.slow();
  await context.addInitScript(() => {
    if (!location.search.includes("seen"))
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
  });
  for (let n = 0; n < 6; n += 1) {
    const tab = await context.newPage();
    await tab.goto("/console/engine");
    await expect(tab.getByRole("heading", { name: "Engine", exact: true })).toBeVisible();
    await expect(summary(tab)).toBeVisible();
  }
  await page.goto("/console/engine?seen");
  await expect(summary(page)).toBeVisible();
  await expect(page.getByText("Environment")).toBeVisible();
});
