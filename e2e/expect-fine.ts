import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** Each theme and each width once, since colours do not depend on the width, nor the layout on the theme. */
export const LOOKS = [
  { theme: "dark", viewport: { width: 1440, height: 900 } },
  { theme: "light", viewport: { width: 375, height: 812 } },
] as const;

/** Expects no finding of axe, and no element wider than the screen. */
export async function expectFine(page: Page) {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(" ")}`)).toEqual([]);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}
