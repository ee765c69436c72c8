import { expect, type Page } from "@playwright/test";
import { test } from "./console-session";
import { expectFine } from "./expect-fine";
import { tabTo } from "./keyboard";

const dialog = (page: Page) => page.locator("dialog[open]").last();
const views = (page: Page) => page.getByRole("navigation", { name: "Saved views" });

test("what the symbols page shows is saved under a name, found again by keyboard, and removed", async ({
  page,
}) => {
  await page.goto("/console/symbols?state=cold&sort=symbol&order=asc");
  await views(page).getByRole("button", { name: "Save this view" }).click();
  await expect(dialog(page).getByText("Now: cold symbols, by name, lowest first.")).toBeVisible();
  await expect(dialog(page).getByLabel("Save it as")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog(page).getByRole("button", { name: "Save the view" })).toHaveAttribute(
    "aria-disabled",
    "true",
  );
  await page.keyboard.type("Quiet ones");
  await expectFine(page);
  await page.keyboard.press("Enter");
  await expect(views(page).getByRole("link", { name: "Quiet ones" })).toHaveAttribute("aria-current", "true");

  await page.goto("/console/symbols");
  const link = views(page).getByRole("link", { name: "Quiet ones" });
  await expect(link).not.toHaveAttribute("aria-current");
  await tabTo(page, link);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/state=cold&sort=symbol&order=asc$/);
  await expect(page.getByRole("combobox", { name: "State" })).toHaveValue("cold");
  await expect(link).toHaveAttribute("aria-current", "true");

  await page.goto("/console/symbols?views=true");
  await dialog(page).getByRole("button", { name: "Remove Quiet ones" }).click();
  await expect(dialog(page).getByRole("listitem")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/symbols$/);
  await expect(views(page).getByRole("link")).toHaveCount(0);
});

test("the dialog of views fits a phone, with as many as there can be", async ({ page }) => {
  await page.setViewportSize({ width: 375, height: 812 });
  await page.addInitScript(() => {
    const list = Array.from({ length: 8 }, (_, n) => ({
      name: `A view with a name ${n}`,
      query: `search=${n}`,
    }));
    localStorage.setItem("console-views:symbols:admin", JSON.stringify(list));
  });
  await page.goto("/console/symbols");
  await expect(views(page).getByRole("link")).toHaveCount(8);
  await expectFine(page);
  await page.goto("/console/symbols?views=true");
  await dialog(page).getByLabel("Save it as").fill("a ninth");
  await expect(dialog(page).getByRole("button", { name: "Save the view" })).toHaveAttribute(
    "title",
    /remove one first/,
  );
  await expectFine(page);
});
