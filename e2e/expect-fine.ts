import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** Each theme and each width once, since colours do not depend on the width, nor the layout on the theme. */
export const LOOKS = [
  { theme: "dark", viewport: { width: 1440, height: 900 } },
  { theme: "light", viewport: { width: 375, height: 812 } },
] as const;

/** Expects no finding of axe, and nothing wider than the screen or than its dialog. */
export async function expectFine(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(" ")}`)).toEqual([]);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
  const wideDialogs = await page.evaluate(() =>
    [...document.querySelectorAll("dialog[open]")]
      .filter(dialog => dialog.scrollWidth > dialog.clientWidth)
      .map(dialog => dialog.querySelector("h2")?.textContent),
  );
  expect(wideDialogs).toEqual([]);
}
