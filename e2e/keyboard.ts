import { expect, type Locator, type Page } from "@playwright/test";

const MOST_STOPS = 90;

/** The focused element: its name, and whether its focus ring is visible. */
function focused(page: Page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const hasRing = style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) >= 1;
    const isOnScreen = box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0;
    const text = element.getAttribute("aria-label") ?? element.textContent?.trim() ?? "";
    return { tag: element.tagName, text: text.slice(0, 60), isVisible: hasRing && isOnScreen };
  });
}

/** Presses Tab until `target` has the focus. Each stop on the way must be visible. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeAttached();
  const passed: string[] = [];
  for (let n = 0; n < MOST_STOPS; n += 1) {
    await page.keyboard.press("Tab");
    const stop = await focused(page);
    if (!stop) continue;
    expect(stop, `the focus on ${stop.tag} “${stop.text}” is visible`).toMatchObject({ isVisible: true });
    if (await target.evaluate(element => element === document.activeElement)) return;
    passed.push(`${stop.tag} ${stop.text}`);
  }
  throw new Error(`Tab does not lead to ${target}; it passed:\n${passed.join("\n")}`);
}

/** Chooses the next option of a select, as the arrow keys do. */
export async function chooseNext(page: Page, select: Locator): Promise<void> {
  await tabTo(page, select);
  await page.keyboard.press("ArrowDown");
}
