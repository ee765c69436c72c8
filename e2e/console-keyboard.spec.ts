import { expect, type Page } from "@playwright/test";
import pg from "pg";
import { freshName, signUp, test } from "./console-session";
import { chooseNext, tabTo } from "./keyboard";

const dialog = (page: Page) => page.locator("dialog[open]").last();
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const firstRow = (page: Page) => page.locator("tbody tr").first();

async function open(page: Page, address: string, heading: string) {
  await page.goto(address);
  await expect(page.getByRole("heading", { name: heading, exact: true })).toBeVisible();
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
}

/** Fills in the open confirm dialog and submits it with the keyboard alone. */
async function confirmByKeys(page: Page, verb: string, typed?: string) {
  await expect(dialog(page).getByLabel("Reason, for the audit log")).toBeFocused();
  await page.keyboard.type("by keyboard alone");
  if (typed) {
    await page.keyboard.press("Tab");
    await page.keyboard.type(typed);
  }
  await tabTo(page, dialog(page).getByRole("button", { name: verb }));
  await page.keyboard.press("Enter");
}

test("gate: skip link, range, the cursor of a chart, and its table", async ({ page }) => {
  // Nine live charts are drawn without a graphics card.
  test.slow();
  await open(page, "/console/gate", "Gate");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the page" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("#main")).toBeFocused();
  await tabTo(page, page.getByRole("button", { name: "5 min", exact: true }));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/range=5m/);
  const chart = page.getByRole("application", { name: "Checks. Arrow keys move the cursor." });
  await tabTo(page, chart);
  // A new server has points only at the right end, so the cursor moves there from the left.
  const reading = page.locator(".reading").first();
  for (let step = 0; step < 320 && !(await reading.isVisible()); step += 1)
    await page.keyboard.press("ArrowRight");
  await expect(reading).toBeVisible();
  await tabTo(page, button(page, "Filter positive rate: show as a table"));
  await page.keyboard.press("Space");
  const table = page.getByRole("region", { name: "Filter positive rate, as a table" });
  await expect(table).toBeVisible();
  await expect(button(page, "Filter positive rate: show as a chart")).toBeFocused();
});

test("outbox: a dead letter is opened, chosen and replayed", async ({ page }) => {
  const client = new pg.Client({ connectionString: process.env.E2E_DATABASE_URL });
  await client.connect();
  const { rows } = await client.query<{ seq: string }>(
    `INSERT INTO outbox (aggregatetype, aggregateid, type, payload)
     VALUES ('username', gen_random_uuid()::text, 'username.claimed', '{"v":7}') RETURNING seq::text`,
  );
  await client.end();
  const seq = rows[0]!.seq;
  await open(page, "/console/outbox", "Outbox");
  const row = page.getByRole("row", { name: seq });
  await expect(row).toBeVisible({ timeout: 20_000 });
  await tabTo(page, firstRow(page));
  for (let n = 0; n < 25 && !(await row.evaluate(el => el === document.activeElement)); n += 1) {
    await page.keyboard.press("ArrowDown");
  }
  await expect(row).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog(page).getByRole("heading", { name: `Row ${seq}` })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(row).toBeFocused();
  await page.getByLabel(`Choose row ${seq}`).focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+Tab");
  for (
    let n = 0;
    n < 30 && !(await button(page, "Replay 1 row").evaluate(el => el === document.activeElement));
    n += 1
  )
    await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await confirmByKeys(page, `Replay row ${seq}`);
  await expect(page.getByText(`row ${seq} back in the outbox`).first()).toBeVisible();
  await expect(dialog(page)).toBeHidden();
});

test("trace: a name is typed and traced, and its user opened", async ({ page }) => {
  const name = await signUp();
  await open(page, "/console/trace", "Name trace");
  await expect(page.getByLabel("Name, exactly as it was typed")).toBeFocused();
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Conclusion")).toContainText(name);
  await tabTo(page, page.getByRole("link", { name, exact: true }));
  await page.keyboard.press("Enter");
  await expect(dialog(page).getByRole("heading", { name })).toBeFocused();
});

test("users: search, filter, sort, rows; a change; the focus comes back after each dialog", async ({
  page,
}) => {
  const name = await signUp();
  await open(page, "/console/users", "Users");
  await tabTo(page, button(page, "Username"));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/sort=username/);
  await chooseNextFrom(page, "Role", /role=/);
  await page.goto(`/console/users?search=${name}`);
  await expect(page.getByRole("row", { name })).toBeVisible();
  await tabTo(page, page.getByRole("row", { name }));
  await page.keyboard.press("Enter");
  await expect(dialog(page).getByRole("heading", { name })).toBeFocused();
  await tabTo(page, dialog(page).getByLabel("Role"));
  await page.keyboard.press("v");
  await expect(dialog(page).getByLabel("Role")).toHaveValue("viewer");
  await tabTo(page, dialog(page).getByRole("button", { name: "Set role" }));
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await expect(dialog(page).getByRole("button", { name: "Set role" })).toBeFocused();
  await page.keyboard.press("Enter");
  await confirmByKeys(page, "Make viewer");
  await expect(page.getByText(`${name} is viewer`).first()).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("row", { name })).toBeFocused();
});

/** Chooses the next option of a filter, starting at the top of the page. */
async function chooseNextFrom(page: Page, label: string, address: RegExp) {
  await page.locator("#main").focus();
  await chooseNext(page, page.getByLabel(label, { exact: true }));
  await expect(page).toHaveURL(address);
}

test("reserved words: one is tried out, reserved and released", async ({ page }) => {
  const word = freshName();
  await open(page, "/console/reserved", "Reserved words");
  await page.locator("#main").focus();
  await chooseNextFrom(page, "Kind", /kind=/);
  await open(page, "/console/reserved", "Reserved words");
  await tabTo(page, button(page, "Reserve a word"));
  await page.keyboard.press("Enter");
  await expect(dialog(page).getByLabel("Word", { exact: true })).toBeFocused();
  await page.keyboard.type(word);
  await tabTo(page, dialog(page).getByRole("radio").first());
  await page.keyboard.press("ArrowDown");
  await expect(dialog(page).getByText("Would block no name that exists")).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.type("by keyboard alone");
  await tabTo(page, dialog(page).getByRole("button", { name: "Reserve the word" }));
  await page.keyboard.press("Enter");
  await expect(page.getByText(`${word} is reserved`).first()).toBeVisible();
  await expect(button(page, "Reserve a word")).toBeFocused();
  await page.keyboard.press("/");
  await page.keyboard.type(word);
  await tabTo(page, button(page, `Release ${word}`));
  await page.keyboard.press("Enter");
  await confirmByKeys(page, `Release ${word}`);
  await expect(page.getByText("No word matches")).toBeVisible();
});

test("audit: filters, the drawer of a row, and its link to the charts", async ({ page }) => {
  await open(page, "/console/audit", "Audit log");
  await chooseNextFrom(page, "Outcome", /outcome=ok/);
  await expect(firstRow(page)).toBeVisible();
  await tabTo(page, firstRow(page));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/[?&]id=\d+/);
  await tabTo(page, dialog(page).getByRole("link", { name: /^The (gate|stream) at that moment$/ }));
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/[?&]id=/);
  await expect(firstRow(page)).toBeFocused();
});

test("switches: one is turned off and on again", async ({ page }) => {
  await open(page, "/console/switches", "Kill switches");
  const title = "Disable or enable a user";
  await tabTo(page, button(page, `Turn off ${title}`));
  await page.keyboard.press("Enter");
  await confirmByKeys(page, "Turn off user.disable");
  await expect(button(page, `Turn on ${title}`)).toBeVisible();
  await page.locator("#main").focus();
  await tabTo(page, button(page, `Turn on ${title}`));
  await page.keyboard.press("Enter");
  await confirmByKeys(page, "Turn on user.disable");
  await expect(button(page, `Turn off ${title}`)).toBeVisible();
});

test("tokens: one is created, its secret stored, and revoked by its typed name", async ({ page }) => {
  const name = freshName();
  await open(page, "/console/tokens", "Service tokens");
  await tabTo(page, button(page, "Create a token"));
  await page.keyboard.press("Enter");
  await expect(dialog(page).getByLabel("Name of the machine or script")).toBeFocused();
  await page.keyboard.type(name);
  await tabTo(page, dialog(page).getByRole("button", { name: "Create the token" }));
  await page.keyboard.press("Enter");
  await expect(dialog(page).getByText(/^fg_/)).toBeVisible();
  await tabTo(page, dialog(page).getByRole("button", { name: "I have stored it" }));
  await page.keyboard.press("Enter");
  await expect(button(page, "Create a token")).toBeFocused();
  await tabTo(page, button(page, `Revoke ${name}`));
  await page.keyboard.press("Enter");
  await confirmByKeys(page, `Revoke ${name}`, name);
  await expect(page.getByRole("row", { name }).getByText("revoked", { exact: true })).toBeVisible();
});

test("palette, shortcuts and menu give the focus back", async ({ page }) => {
  await open(page, "/console/audit", "Audit log");
  await tabTo(page, button(page, "Download CSV"));
  await page.keyboard.press("Control+k");
  await expect(page.getByPlaceholder("Search pages and actions…")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  await expect(button(page, "Download CSV")).toBeFocused();
  await page.keyboard.press("?");
  await expect(dialog(page).getByRole("heading", { name: "Keyboard shortcuts" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(button(page, "Download CSV")).toBeFocused();
  const menu = page.getByRole("navigation", { name: "Console", exact: true }).getByRole("button").last();
  await menu.focus();
  await page.keyboard.press("Enter");
  await tabTo(page, button(page, "Light"));
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await page.keyboard.press("Escape");
  await expect(menu).toBeFocused();
});
