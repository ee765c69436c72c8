import { expect, type Page, request } from "@playwright/test";
import { adminPassword, freshName, originOf, signedOut, signIn, signUp, test } from "./console-session";

const dialog = (page: Page) => page.locator("dialog[open]").last();
const confirm = (page: Page, verb: string) => dialog(page).getByRole("button", { name: verb });
const giveReason = (page: Page, reason = "An end-to-end test") =>
  dialog(page).getByLabel("Reason, for the audit log").fill(reason);

async function openUser(page: Page, name: string) {
  await page.goto(`/console/users?search=${name}`);
  await page.getByRole("row", { name }).click();
  await expect(dialog(page).getByRole("heading", { name })).toBeVisible();
}

async function giveRole(page: Page, name: string, role: string) {
  await openUser(page, name);
  await dialog(page).getByLabel("Role").selectOption(role);
  await dialog(page).getByRole("button", { name: "Set role" }).click();
  await giveReason(page);
  await confirm(page, `Make ${role}`).click();
  await expect(page.getByText(`${name} is ${role}`)).toBeVisible();
}

test.describe("a signed-out user", () => {
  test.use({ storageState: signedOut });

  test("gets no data in the HTML, signs in, and reaches the wanted page", async ({ page }) => {
    const html = await (await page.request.get("/console/users")).text();
    expect(html).not.toContain("admin@");
    await page.goto("/console/audit?outcome=refused");
    await expect(page).toHaveURL(/\/console\/sign-in\?next=/);
    await page.getByLabel("Username or e-mail").fill("admin");
    await page.getByLabel("Password", { exact: true }).fill("not this one");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Incorrect username or password.")).toBeVisible();
    await page.keyboard.type(adminPassword());
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/console\/audit\?outcome=refused$/);
    await expect(page.getByRole("heading", { name: "Audit log" })).toBeVisible();
  });

  test("with the role member is refused, and reads who can help", async ({ page }) => {
    await signIn(page, await signUp());
    await page.goto("/console");
    await expect(page.getByRole("heading", { name: "Access denied" })).toBeVisible();
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page).toHaveURL(/\/console\/sign-in$/);
  });
});

test("the keyboard alone reaches the pages", async ({ page }) => {
  await page.goto("/console");
  await expect(page).toHaveURL(/\/console\/gate$/);
  await expect(page.getByRole("heading", { name: "Gate", exact: true })).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(page.getByPlaceholder("Search pages and actions…")).toBeFocused();
  await page.keyboard.type("switches");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/console\/switches$/);
  await page.keyboard.press("g");
  await page.keyboard.press("u");
  await expect(page).toHaveURL(/\/console\/users$/);
  await expect(page.getByRole("row", { name: "admin" }).first()).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type("admin");
  await expect(page).toHaveURL(/search=admin/);
  await page.getByRole("row", { name: "admin" }).first().focus();
  await page.keyboard.press("Enter");
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await expect(dialog(page).getByRole("heading", { name: "Keyboard shortcuts" })).toBeVisible();
});

test("a trader lands on Symbols", async ({ as }) => {
  const trader = await as("trader");
  await trader.goto("/console");
  await expect(trader).toHaveURL(/\/console\/symbols$/);
});

test("a role is given with a reason, and the audit log shows what it changed", async ({ page }) => {
  const name = await signUp();
  await giveRole(page, name, "operator");
  await page.goto("/console/audit?action=user.setRole");
  await page.getByLabel("Search target, reason, request").fill(name);
  await page.getByRole("row", { name: "user.setRole" }).first().click();
  await expect(page).toHaveURL(/[?&]id=\d+/);
  await expect(dialog(page).getByText("An end-to-end test")).toBeVisible();
  const change = dialog(page).getByRole("row", { name: "role" });
  await expect(change).toContainText("member");
  await expect(change).toContainText("operator");
  await page.goto(`/console/audit?id=${new URL(page.url()).searchParams.get("id")}`);
  await expect(dialog(page).getByRole("heading", { name: "user.setRole" })).toBeVisible();
});

test("the second of two admins who change the same user gets a conflict", async ({
  page,
  browser,
  adminState,
}) => {
  const name = await signUp();
  const other = await browser.newPage({ storageState: adminState });
  await openUser(page, name);
  // The page of the second admin must stay out of date.
  await page.route(/user\.list|gate\.live/, () => {});
  await giveRole(other, name, "viewer");
  await dialog(page).getByRole("button", { name: "Disable" }).click();
  await giveReason(page);
  await confirm(page, `Disable ${name}`).click();
  await expect(page.getByText("Another user changed this first")).toBeVisible();
  await expect(dialog(page).getByLabel("Reason, for the audit log")).toHaveValue("An end-to-end test");
  await other.close();
});

test("a viewer sees the buttons, and why they are disabled", async ({ page, browser, adminState }) => {
  const name = await signUp();
  const admin = await browser.newPage({ storageState: adminState });
  await giveRole(admin, name, "viewer");
  await admin.close();
  await page.context().clearCookies();
  await signIn(page, name);
  await page.goto("/console/reserved");
  const button = page.getByRole("button", { name: "Reserve a word" });
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await expect(button).toHaveAccessibleDescription(/viewer/);
  await button.click({ force: true });
  await expect(page.locator("dialog[open]")).toHaveCount(0);
  await page.goto("/console/users");
  await expect(page.getByRole("heading", { name: "Access denied" })).toBeVisible();
});

test("a word is tried out, reserved, and released", async ({ page }) => {
  const name = await signUp();
  await page.goto("/console/reserved");
  await page.getByRole("button", { name: "Reserve a word" }).click();
  await dialog(page).getByRole("textbox", { name: "Word" }).fill(name);
  await expect(dialog(page).getByText("Would block 1 that exist")).toBeVisible();
  await dialog(page)
    .getByLabel(/^Reason/)
    .fill("is needed by an end-to-end test");
  await dialog(page).getByRole("button", { name: "Reserve the word" }).click();
  await expect(page.getByText(`${name} is reserved`)).toBeVisible();
  await page.getByLabel("Search words and reasons").fill(name);
  await page.getByRole("button", { name: `Release ${name}` }).click();
  await giveReason(page);
  await confirm(page, `Release ${name}`).click();
  await expect(page.getByText("No word matches")).toBeVisible();
});

test("an action is turned off for all users, and on again", async ({ page }) => {
  const name = await signUp();
  const title = "Sign a user out everywhere";
  await page.goto("/console/switches");
  await page.getByRole("button", { name: `Turn off ${title}` }).click();
  await giveReason(page);
  await confirm(page, "Turn off user.revokeSessions").click();
  await expect(page.getByRole("button", { name: `Turn on ${title}` })).toBeVisible();
  await openUser(page, name);
  const button = dialog(page).getByRole("button", { name: "Revoke sessions" });
  await expect(button).toHaveAccessibleDescription(/^Switched off/);
  await page.goto("/console/switches");
  await page.getByRole("button", { name: `Turn on ${title}` }).click();
  await giveReason(page);
  await confirm(page, "Turn on user.revokeSessions").click();
  await expect(page.getByRole("button", { name: `Turn off ${title}` })).toBeVisible();
});

test("a token's secret is shown once; revoking asks for its name", async ({ page }) => {
  const name = freshName();
  await page.goto("/console/tokens?add=true");
  await dialog(page).getByLabel("Name of the machine or script").fill(name);
  await dialog(page).getByRole("button", { name: "Create the token" }).click();
  await expect(dialog(page).getByText(/^fg_/)).toBeVisible();
  await dialog(page).getByRole("button", { name: "I have stored it" }).click();
  await expect(page.getByText(/^fg_/)).toHaveCount(0);
  await page.getByRole("button", { name: `Revoke ${name}` }).click();
  await giveReason(page);
  await expect(confirm(page, `Revoke ${name}`)).toHaveAttribute("aria-disabled", "true");
  await dialog(page).getByLabel(/Type/).fill(name);
  await confirm(page, `Revoke ${name}`).click();
  await expect(page.getByRole("row", { name }).getByText("revoked", { exact: true })).toBeVisible();
});

test("the answers to a new token get lost: the console finds out, and only the shown secret is valid", async ({
  page,
}) => {
  const name = freshName();
  const lost: string[] = [];
  await page.route("**/api/trpc/token.create", async route => {
    if (lost.length === 2) return route.continue();
    lost.push((await (await route.fetch()).json()).result.data.secret);
    await route.abort();
  });
  await page.goto("/console/tokens?add=true");
  await dialog(page).getByLabel("Name of the machine or script").fill(name);
  await dialog(page).getByRole("button", { name: "Create the token" }).click();
  const secret = await dialog(page).getByText(/^fg_/).textContent({ timeout: 15_000 });
  const isValid = async (bearer: string) => {
    const response = await request
      .newContext({ baseURL: originOf() })
      .then(api => api.get("/api/trpc/filter.status", { headers: { authorization: `Bearer ${bearer}` } }));
    return response.status() === 200;
  };
  expect(await Promise.all([...lost, secret!].map(isValid))).toEqual([false, false, true]);
  await dialog(page).getByRole("button", { name: "I have stored it" }).click();
  await expect(page.getByRole("row", { name })).toHaveCount(1);
});

test("a console from before a deploy is updated once, and not while a dialog is open", async ({ page }) => {
  await page.goto("/console/tokens?add=true");
  await dialog(page).getByLabel("Name of the machine or script").fill("half a form");
  let loads = 0;
  page.on("load", () => {
    loads += 1;
  });
  await page.route("**/api/trpc/**", async route => {
    if (route.request().url().includes("gate.live")) return route.abort();
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "x-floodgate-build": "another" } });
  });
  // Without its stream the page polls: answers of the other build arrive.
  await page.waitForResponse(response => response.url().includes("/api/trpc/"), { timeout: 30_000 });
  await page.waitForTimeout(1_000);
  expect(loads).toBe(0);
  await expect(dialog(page).getByLabel("Name of the machine or script")).toHaveValue("half a form");
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await page.goto("/console/tokens");
  await expect(page.getByText("This page was updated")).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole("heading", { name: "Service tokens" })).toBeVisible();
});

test("a token that submits orders needs accounts, which its row shows", async ({ page }) => {
  const name = freshName();
  await page.goto("/console/tokens?add=true");
  await dialog(page).getByLabel("Name of the machine or script").fill(name);
  await dialog(page).getByLabel("Role").selectOption("submit orders only");
  await expect(confirm(page, "Create the token")).toHaveAttribute("aria-disabled", "true");
  await dialog(page).getByLabel("Accounts that it may submit orders for").fill("alice, desk-*");
  await dialog(page).getByRole("button", { name: "Create the token" }).click();
  await dialog(page).getByRole("button", { name: "I have stored it" }).click();
  await expect(page.getByRole("row", { name })).toContainText("alice, desk-*");
});

test("the trace of a name shows its user, and invisible characters", async ({ page }) => {
  const name = await signUp();
  await page.goto("/console/trace");
  await page.getByLabel("Name, exactly as it was typed").fill(name);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`name=${name}`));
  await expect(page.getByLabel("Conclusion")).toContainText(name);
  await expect(page.getByText("taken", { exact: true })).toBeVisible();
  await page.goto(`/console/trace?name=${encodeURIComponent("adm\u202ein")}`);
  await expect(page.getByText("adm⟨U+202E⟩in")).toBeVisible();
  await expect(page.getByText("breaks “invisible”")).toBeVisible();
});

test("the dashboard keeps its range in the address, and reads as a table", async ({ page }) => {
  await page.goto("/console/gate");
  await expect(page.getByLabel("Status summary")).toBeVisible();
  await page.getByRole("button", { name: "1 h", exact: true }).click();
  await expect(page).toHaveURL(/range=1h/);
  await page.reload();
  await expect(page.getByRole("button", { name: "1 h", exact: true })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await page.getByRole("button", { name: "Checks: show as a table" }).click();
  await expect(page.getByRole("region", { name: "Checks, as a table" })).toBeVisible();
  await page.goto("/console/gate?range=99y&to=nonsense");
  await expect(page.getByRole("button", { name: "15 min" })).toHaveAttribute("aria-pressed", "true");
});

test("without its stream the console polls; without a server it shows that until one answers", async ({
  page,
}) => {
  let isCut = false;
  await page.route("**/api/trpc/gate.live**", route => route.abort());
  await page.route("**/api/trpc/gate.health**", route => (isCut ? route.abort() : route.continue()));
  await page.goto("/console/outbox");
  await expect(page.getByText("Environment")).toBeVisible();
  isCut = true;
  await expect(page.getByText("No answer from the server")).toBeVisible({ timeout: 15_000 });
  isCut = false;
  await expect(page.getByText("No answer from the server")).toBeHidden({ timeout: 15_000 });
});
