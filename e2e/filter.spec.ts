import { expect, type Page } from "@playwright/test";
import { callApi, queryApi, signUp, test } from "./console-session";
import { expectFine, LOOKS } from "./expect-fine";

const dialog = (page: Page) => page.locator("dialog[open]").last();
const card = (page: Page, slot: string) => page.getByRole("region", { name: new RegExp(`^${slot}`) });
const summary = (page: Page) => page.getByRole("region", { name: "Status summary" });

/** The worker makes the first version as soon as it runs. */
async function openFilter(page: Page, address = "/console/filter"): Promise<void> {
  await page.goto(address);
  await expect(card(page, "Active: v")).toBeVisible({ timeout: 40_000 });
}

async function activeVersion(page: Page): Promise<number> {
  return Number((await card(page, "Active: v").getByRole("heading").textContent())?.slice(1));
}

async function confirm(page: Page, verb: string): Promise<void> {
  await dialog(page).getByLabel("Reason, for the audit log").fill("An end-to-end test");
  await dialog(page).getByRole("button", { name: verb, exact: true }).click();
  await expect(page.locator("dialog[open]")).toHaveCount(0);
}

async function isTaken(page: Page, username: string): Promise<boolean> {
  const { status } = await queryApi<{ status: string }>(page, "username.check", { username });
  return status === "taken";
}

test("a filter is rebuilt, used for canary reads, promoted, rolled back, promoted again, and the old version is retired", async ({
  page,
}) => {
  test.setTimeout(180_000);
  const early = await signUp();
  await openFilter(page);
  const old = await activeVersion(page);
  const next = Math.max(...(await versionsOf(page))) + 1;

  await page.getByRole("button", { name: "Rebuild", exact: true }).click();
  await dialog(page).getByLabel("Capacity, in names").fill("10");
  await expect(dialog(page).getByText("The server refused the input")).toBeVisible();
  await dialog(page).getByLabel("Capacity, in names").fill("100,000");
  // The embedded Redis has no memory limit of its own.
  await expect(dialog(page).getByText("Unknown whether Redis has room")).toBeVisible();
  await dialog(page).getByLabel("Build without a known memory limit").check();
  await confirm(page, `Build v${next}`);
  await expect(card(page, `Candidate: v${next}`).getByText("ready", { exact: true })).toBeVisible({
    timeout: 90_000,
  });
  await expect(page.getByRole("button", { name: "Rebuild", exact: true })).toHaveAccessibleDescription(
    `v${next} is ready. Promote or cancel it first.`,
  );
  const during = await signUp();

  await page.getByRole("button", { name: "Set traffic" }).click();
  await dialog(page)
    .getByRole("group", { name: /^Canary/ })
    .getByLabel("50 %", { exact: true })
    .check();
  await confirm(page, `Set traffic of v${next}`);
  await expect(summary(page).getByText(`v${next} answers 50 %`)).toBeVisible();
  expect(await Promise.all([early, during].map(name => isTaken(page, name)))).toEqual([true, true]);

  await page.getByRole("button", { name: `Promote v${next}`, exact: true }).click();
  await expect(dialog(page).getByText(`v${old} is kept for rollback.`)).toBeVisible();
  await promote(page, next);
  await expectActive(page, next);
  await expect(summary(page).getByText(`rolls back to v${old} automatically`)).toBeVisible();
  const after = await signUp();

  await page.getByRole("button", { name: `Roll back to v${old}` }).click();
  await expect(dialog(page).getByText(/events behind/)).toBeVisible();
  await confirm(page, `Roll back to v${old}`);
  await expectActive(page, old);
  // This version also has the names that signed up while the other version was active.
  expect(await Promise.all([early, during, after].map(name => isTaken(page, name)))).toEqual([
    true,
    true,
    true,
  ]);

  await page.getByRole("button", { name: `Promote v${next} again` }).click();
  await promote(page, next);
  await expectActive(page, next);

  await page.getByRole("button", { name: `Retire v${old}` }).click();
  await expect(dialog(page).getByText("retiring it ends rollback")).toBeVisible();
  await dialog(page)
    .getByLabel(/^This can't be undone/)
    .fill(`v${old}`);
  await confirm(page, `Retire v${old}`);
  await expect(page.getByRole("button", { name: "Roll back", exact: true })).toHaveAccessibleDescription(
    /nothing to go back to/,
  );
  const earlier = page.getByRole("region", { name: "Earlier versions", exact: true });
  await expect(earlier.getByRole("row", { name: `v${old} retired` })).toBeVisible({ timeout: 30_000 });
  expect(await Promise.all([early, during, after].map(name => isTaken(page, name)))).toEqual([
    true,
    true,
    true,
  ]);

  const timeline = page.getByRole("region", { name: "Timeline" });
  await expect(timeline.getByText(`v${next} went from verifying to ready`)).toBeVisible();
  await timeline.getByRole("link", { name: `Rolled back from v${next} to v${old}` }).click();
  await expect(page).toHaveURL(/\/console\/audit\?id=\d+$/);
  await expect(dialog(page).getByRole("heading", { name: "filter.rollback" })).toBeVisible();
});

async function versionsOf(page: Page): Promise<number[]> {
  const { versions } = await queryApi<{ versions: { version: number }[] }>(page, "filter.status", {});
  return versions.map(({ version }) => version);
}

/** A test compares few reads, so the gate of shadow reads may have no data. It is waived then. */
async function promote(page: Page, version: number): Promise<void> {
  const waive = dialog(page).getByLabel(/^Promote without shadow reads/);
  if (await waive.isVisible()) {
    await expect(
      dialog(page)
        .getByRole("paragraph")
        .filter({ hasText: /A gate has no data/ }),
    ).toBeVisible();
    await waive.check();
  }
  await confirm(page, `Promote v${version}`);
}

async function expectActive(page: Page, version: number): Promise<void> {
  await expect(
    summary(page).getByText(`v${version} is active: 256 of 256 shards, followed by every server`),
  ).toBeVisible({
    timeout: 20_000,
  });
}

test("a viewer sees the page, and why its buttons are disabled", async ({ as }) => {
  const viewer = await as("viewer");
  await openFilter(viewer);
  for (const button of ["Schedule", "Rebuild", /^Roll back/, /^Verify v\d+ again/]) {
    const found = viewer.getByRole(
      "button",
      typeof button === "string" ? { name: button, exact: true } : { name: button },
    );
    await expect(found).toHaveAttribute("aria-disabled", "true");
    await expect(found).toHaveAccessibleDescription(/viewer/);
    await found.click({ force: true });
    await expect(viewer.locator("dialog[open]")).toHaveCount(0);
  }
  await expect(viewer.getByRole("grid").getByRole("button").first()).toHaveAccessibleName(/^Shard 00: /);
  // The address and the API refuse as well.
  await viewer.goto("/console/filter?change=schedule");
  await expect(
    dialog(viewer)
      .getByRole("paragraph")
      .filter({ hasText: /The role viewer may not do this/ }),
  ).toBeVisible();
  const refused = await callApi(viewer, "filter.schedule", { everyHours: 24, reason: "An end-to-end test" });
  expect(refused.status).toBe(403);
});

test("the second of two users who make the same change sees the conflict", async ({ page }) => {
  await openFilter(page);
  await page.getByRole("button", { name: /^Verify v\d+ again/ }).click();
  const title = await dialog(page).getByRole("heading").textContent();
  const version = Number(/v(\d+)/.exec(title ?? "")?.[1]);
  await page.route("**/api/trpc/filter.verify**", route =>
    route.fulfill({
      status: 409,
      json: {
        error: {
          message: `v${version} is being verified already.`,
          code: -32009,
          data: { code: "CONFLICT", httpStatus: 409, details: {} },
        },
      },
    }),
  );
  await dialog(page).getByLabel("Reason, for the audit log").fill("Once more");
  await dialog(page)
    .getByRole("button", { name: `Verify v${version}`, exact: true })
    .click();
  await expect(dialog(page).getByText(`v${version} is being verified already.`)).toBeVisible();
  await expect(dialog(page).getByLabel("Reason, for the audit log")).toHaveValue("Once more");
});

test("the keyboard alone reaches a shard and comes back", async ({ page }) => {
  await page.goto("/console/switches");
  await expect(page.getByRole("heading", { name: "Kill switches" })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("f");
  await expect(page).toHaveURL(/\/console\/filter$/);
  const shard = (name: string) => page.getByRole("button", { name: new RegExp(`^Shard ${name}:`) });
  await expect(shard("00")).toHaveAccessibleName(/full/);
  await page.getByRole("button", { name: "Age", exact: true }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/layer=age/);
  // The map is one tab stop, after the last of its layers.
  await page.keyboard.press("Tab");
  await expect(shard("00")).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(shard("21")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/shard=21/);
  await expect(dialog(page).getByRole("heading", { name: "Shard 21" })).toBeVisible();
  await expect(
    dialog(page)
      .getByText(/bf:usernames:\{21\}:v\d+/)
      .first(),
  ).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(shard("21")).toBeFocused();
  await page.keyboard.press("Control+End");
  await expect(shard("ff")).toBeFocused();
});

test("the palette starts a rebuild, whose plan shows the problem", async ({ page }) => {
  await openFilter(page);
  await page.keyboard.press("Control+k");
  await expect(page.getByPlaceholder("Search pages and actions…")).toBeFocused();
  await page.keyboard.type("rebuild the filter");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/rebuild=true/);
  await dialog(page).getByLabel("Capacity, in names").fill("lots");
  await expect(dialog(page).getByRole("button", { name: /^Build v/ })).toHaveAccessibleDescription(
    "Type a whole number of names.",
  );
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/\/console\/filter$/);
});

const addresses = [
  "/console/filter?layer=state",
  "/console/filter?rebuild=true",
  "/console/filter?change=schedule",
  "/console/filter?shard=3f",
];

/** The layers differ only in the colours of cells. Cells have no text while every shard is sealed. */
for (const { theme, viewport } of LOOKS) {
  test(`the filter's page is accessible and fits: ${theme}, ${viewport.width} px`, async ({ page }) => {
    test.slow();
    await page.setViewportSize(viewport);
    await page.addInitScript(choice => localStorage.setItem("console-theme", choice), theme);
    for (const address of addresses) {
      await openFilter(page, address);
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
      await expectFine(page);
    }
  });
}
