import { gzipSync } from "node:zlib";
import { expect } from "@playwright/test";
import { signedOut, test } from "./console-session";
import { expectFine, LOOKS } from "./expect-fine";

const pages = [
  ["/console/gate", "Gate"],
  ["/console/outbox", "Outbox"],
  ["/console/trace?name=admin", "Name trace"],
  ["/console/order-trace?account=alice&order=o-1", "Order trace"],
  ["/console/users", "Users"],
  ["/console/reserved", "Reserved words"],
  ["/console/reserved?add=true", "Reserve a word"],
  ["/console/audit", "Audit log"],
  ["/console/switches", "Kill switches"],
  ["/console/tokens", "Service tokens"],
  ["/console/tokens?add=true", "Create a service token"],
  ["/console/no-such-page", "Page not found"],
] as const;

for (const { theme, viewport } of LOOKS) {
  test(`every page is accessible and fits: ${theme}, ${viewport.width} px`, async ({ page, browser }) => {
    test.slow();
    await page.setViewportSize(viewport);
    await page.addInitScript(choice => localStorage.setItem("console-theme", choice), theme);
    for (const [address, heading] of pages) {
      await page.goto(address);
      await expect(page.getByRole("heading", { name: heading, exact: true })).toBeVisible();
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
      await expectFine(page);
    }
    const context = await browser.newContext({ storageState: signedOut, viewport });
    const visitor = await context.newPage();
    await visitor.addInitScript(choice => localStorage.setItem("console-theme", choice), theme);
    await visitor.goto("/console/sign-in");
    await expect(visitor.getByLabel("Username or e-mail")).toBeFocused();
    await expectFine(visitor);
    await context.close();
  });
}

/** React and Next.js alone are 130 kB of it. */
const FIRST_LOAD_BYTES = 190_000;
/** The map, the gates and the timeline. Dialogs are loaded when they are opened. */
const FILTER_BYTES = 10_000;
/** recharts is loaded after the frame and the current values, on pages with charts. */
const CHARTS_BYTES = 121_000;

const BUDGETS = [
  ["/console/sign-in", 145_000],
  ["/console/users", FIRST_LOAD_BYTES],
  ["/console/filter", FIRST_LOAD_BYTES + FILTER_BYTES],
  ["/console/symbols", FIRST_LOAD_BYTES],
  ["/console/engine", FIRST_LOAD_BYTES],
  ["/console/dead-letters", FIRST_LOAD_BYTES],
  ["/console/lab", FIRST_LOAD_BYTES],
  ["/console/gate", FIRST_LOAD_BYTES + CHARTS_BYTES],
  ["/console/stream", FIRST_LOAD_BYTES + CHARTS_BYTES],
] as const;
const AT_ONCE = 3;

test("each page stays within its budget of compressed script", async ({ browser, adminState }) => {
  test.slow();
  async function scriptBytes(address: string, most: number): Promise<number> {
    const context = await browser.newContext({ storageState: adminState });
    const page = await context.newPage();
    const sizes: Promise<number>[] = [];
    page.on("requestfinished", request => {
      if (request.resourceType() !== "script") return;
      sizes.push(request.sizes().then(size => size.responseBodySize));
    });
    await page.goto(address);
    await expect(page.getByRole("heading").first()).toBeVisible();
    if (most > FIRST_LOAD_BYTES + FILTER_BYTES)
      await expect(page.locator(".recharts-surface").first()).toBeVisible();
    // Links are prefetched when the browser is idle. They count as well.
    await page.waitForTimeout(2_000);
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(sizes.length).toBeGreaterThan(0);
    await context.close();
    return total;
  }
  for (let from = 0; from < BUDGETS.length; from += AT_ONCE)
    await Promise.all(
      BUDGETS.slice(from, from + AT_ONCE).map(async ([address, most]) => {
        const total = await scriptBytes(address, most);
        console.log(`${address}: ${total} bytes of compressed script`);
        expect.soft(total, `${address}: ${total} bytes of script`).toBeLessThanOrEqual(most);
      }),
    );
});

test("the gate needs at most 190 kB of script before its charts", async ({ page }) => {
  const html = await (await page.request.get("/console/gate")).text();
  const tags = [...html.matchAll(/<script[^>]* src="([^"]+)"[^>]*>/g)];
  // Polyfills are for browsers without modules.
  const scripts = new Set(tags.filter(([tag]) => !/nomodule/i.test(tag)).map(([, address]) => address!));
  let total = 0;
  for (const address of scripts) {
    total += gzipSync(await (await page.request.get(address)).body()).length;
  }
  expect(scripts.size).toBeGreaterThan(0);
  console.log(`the gate before its charts: ${total} bytes`);
  expect(total, `${total} bytes of script`).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
});
