import { randomBytes } from "node:crypto";
import { expect, type Page, test } from "@playwright/test";
import { expectFine, LOOKS } from "./expect-fine";

const password = "seven rivers run north";
const maxScriptBytes = 150_000;

/** A free name. The specs share one database with each other and with earlier runs. */
const freshName = () => `e2e${randomBytes(5).toString("hex")}`;

const username = (page: Page) => page.getByRole("textbox", { name: "What should we call you?" });
const email = (page: Page) => page.getByRole("textbox", { name: "Where can we reach you?" });
const secret = (page: Page) => page.getByLabel("Last one: a password");

async function openSignup(page: Page) {
  await page.goto("/");
  await expect(username(page)).toBeFocused();
  await expect(page.getByRole("button", { name: "Use this name" })).toHaveAttribute("type", "submit");
}

/** Fills in the three fields with the keyboard alone, including the last Enter. */
async function fillInAll(page: Page, name: string) {
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await expect(email(page)).toBeFocused();
  await page.keyboard.type(`${name}@example.com`);
  await page.keyboard.press("Enter");
  await expect(secret(page)).toBeFocused();
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
}

/** The page clips wide parts, so the width of each part is measured, not only that of the page. */
async function expectNothingIsWider(page: Page) {
  const widest = await page.evaluate(() =>
    Math.max(
      document.documentElement.scrollWidth,
      ...Array.from(document.querySelectorAll(".gate, .gate *"), part => part.getBoundingClientRect().right),
    ),
  );
  expect(widest).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}

test("a user signs up, is welcomed by name, and the name is taken for the next browser", async ({
  page,
  browser,
}) => {
  const name = freshName();
  await openSignup(page);
  await fillInAll(page, name);
  await expect(page).toHaveURL(/\/welcome$/);
  await expect(page.getByRole("heading", { name: `Welcome, ${name}` })).toBeVisible();
  await expect(page.getByText(`${name}@example.com`)).toBeVisible();
  await expect(page.getByText("just now")).toBeVisible();

  const other = await browser.newPage();
  await openSignup(other);
  await username(other).fill(name);
  await expect(other.getByText("Taken.")).toBeVisible();
  await other.close();

  await page.reload();
  await expect(page.getByRole("heading", { name: `Welcome, ${name}` })).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "You are signed out" })).toBeVisible();
  await page.goto("/welcome");
  await expect(page.getByRole("heading", { name: "You are not signed in" })).toBeVisible();
});

test("the answer gets lost: the form says so, finds out on its own, and one account is made", async ({
  page,
}) => {
  const name = freshName();
  let sent = 0;
  await page.route("**/api/trpc/account.signUp", async route => {
    sent += 1;
    if (sent > 1) return route.continue();
    // The server makes the account, and nobody hears of it.
    await route.fetch();
    await route.abort();
  });
  await openSignup(page);
  await fillInAll(page, name);
  await expect(page.getByText("Not known yet.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Finding out…" })).toBeDisabled();
  await expectFine(page);
  await expect(page).toHaveURL(/\/welcome$/);
  await expect(page.getByRole("heading", { name: `Welcome, ${name}` })).toBeVisible();
  expect(sent).toBe(2);
});

test("no request gets through for a moment: the form goes on by itself", async ({ page }) => {
  const name = freshName();
  let sent = 0;
  await page.route("**/api/trpc/account.signUp", route => {
    sent += 1;
    return sent > 2 ? route.continue() : route.abort();
  });
  await openSignup(page);
  await fillInAll(page, name);
  await expect(page.getByText("Not known yet.")).toBeVisible();
  await expect(page).toHaveURL(/\/welcome$/, { timeout: 15_000 });
});

/** From now on a server of another build answers, as after a deploy. */
async function deploy(page: Page) {
  await page.route("**/api/trpc/**", async route => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { ...response.headers(), "x-floodgate-build": "another" } });
  });
}

test("a tab from before a deploy is updated once, keeps its answers, and signs up", async ({ page }) => {
  const name = freshName();
  await openSignup(page);
  await deploy(page);
  let loads = 0;
  page.on("load", () => {
    loads += 1;
  });
  await username(page).fill(name);
  await expect(page.getByText("Free.")).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Page updated.")).toBeVisible();
  await expect(page.getByText(name)).toBeVisible();
  await expectFine(page);
  await email(page).fill(`${name}@example.com`);
  await page.keyboard.press("Enter");
  // Servers of two builds answer in turns: it does not load again.
  await secret(page).fill(password);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/welcome$/);
  expect(loads).toBe(1);
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(password);
});

test("a lazy part of an old build is gone: the form is updated, and asks for the password again", async ({
  page,
}) => {
  const name = freshName();
  await openSignup(page);
  let isGone = true;
  await page.route(/\/_next\/static\/chunks\//, route =>
    isGone ? route.fulfill({ status: 404 }) : route.continue(),
  );
  page.on("framenavigated", () => {
    isGone = false;
  });
  await username(page).fill(name);
  await page.keyboard.press("Enter");
  await expect(email(page)).toBeFocused({ timeout: 15_000 });
  await email(page).fill(`${name}@example.com`);
  await page.keyboard.press("Enter");
  await secret(page).fill(password);
  await page.keyboard.press("Enter");
  await expect(page.getByText("Page updated.")).toBeVisible();
  await expect(secret(page)).toHaveValue("");
  await secret(page).fill(password);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/welcome$/);
});

test("a lazy part does not load, also after an update: the form says that nothing was sent", async ({
  page,
}) => {
  const name = freshName();
  await openSignup(page);
  await page.evaluate(() => sessionStorage.setItem("floodgate-updated", String(Date.now())));
  await username(page).fill(name);
  await expect(page.getByText("Free.")).toBeVisible();
  await page.keyboard.press("Enter");
  await email(page).fill(`${name}@example.com`);
  await page.keyboard.press("Enter");
  await page.route(/\/_next\/static\/chunks\//, route => route.fulfill({ status: 404 }));
  await secret(page).fill(password);
  await page.keyboard.press("Enter");
  await expect(page.getByText("nothing was sent")).toBeVisible();
  await expect(secret(page)).toHaveValue(password);
  await page.unroute(/\/_next\/static\/chunks\//);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/welcome$/);
});

test("the keyboard alone moves back and forth and keeps the input", async ({ page }) => {
  const name = freshName();
  await openSignup(page);
  await page.keyboard.press("Enter");
  await expect(page.getByText("Type a name first.")).toBeVisible();
  await expect(username(page)).toBeFocused();
  await page.keyboard.type(name);
  await expect(page.getByText("Free.")).toBeVisible();
  await page.keyboard.press("Enter");
  await page.keyboard.type("not an address");
  await page.keyboard.press("Enter");
  await expect(email(page)).toHaveAttribute("aria-invalid", "true");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Back" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(username(page)).toBeFocused();
  await expect(username(page)).toHaveValue(name);
  await page.keyboard.press("Enter");
  await email(page).fill(`${name}@example.com`);
  await page.keyboard.press("Enter");
  await page.keyboard.type("short");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Too short by 7.")).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await expect(secret(page)).toHaveAttribute("type", "text");
});

test("reserved and invalid names have different states, and neither can be used", async ({ page }) => {
  await openSignup(page);
  for (const [name, word] of [
    ["admin", "Reserved."],
    ["\u0430dmin", "Not possible."],
    ["ad\u202emin", "Not possible."],
  ] as const) {
    await username(page).fill(name);
    await expect(page.locator("#username-status")).toContainText(word);
    await username(page).press("Enter");
    await expect(username(page)).toBeFocused();
  }
});

test("a late response for an earlier name is discarded", async ({ page }) => {
  const name = freshName();
  let releaseFirst = () => {};
  const isReleased = new Promise<void>(resolve => {
    releaseFirst = resolve;
  });
  let first = true;
  await page.route("**/api/trpc/username.check**", async route => {
    if (!first) return route.continue();
    first = false;
    await isReleased;
    const json = { result: { data: { status: "taken", source: "database" } } };
    // The page has aborted this request by then. Its response must have no effect.
    await route.fulfill({ json }).catch(() => {});
  });
  await openSignup(page);
  await Promise.all([page.waitForRequest("**/username.check**"), username(page).fill(`${name}x`)]);
  await username(page).fill(name);
  await expect(page.getByText(`${name} can be yours.`)).toBeVisible();
  releaseFirst();
  await page.waitForTimeout(300);
  await expect(page.getByText(`${name} can be yours.`)).toBeVisible();
  await expect(page.getByText("Taken.")).toBeHidden();
});

test("a busy server is shown, does not block the sign-up, and gets a second check", async ({ page }) => {
  const name = freshName();
  let checks = 0;
  await page.route("**/api/trpc/username.check**", route =>
    ++checks > 1
      ? route.continue()
      : route.fulfill({ json: { result: { data: { status: "busy", retryAfterMs: 1_500 } } } }),
  );
  await openSignup(page);
  await username(page).fill(name);
  await expect(page.getByText("Not checked yet.")).toBeVisible();
  await expect(page.getByText("Free.")).toBeVisible();
  expect(checks).toBe(2);
});

test("a name lost at sign-up returns to its field with free names", async ({ page }) => {
  const name = freshName();
  const suggestions = [`${name}-2`, `${name}-river`];
  await page.route("**/api/trpc/account.signUp**", route =>
    route.fulfill({
      status: 409,
      json: {
        error: {
          message: "This name is taken.",
          code: -32009,
          data: { code: "CONFLICT", httpStatus: 409, details: { field: "username", suggestions } },
        },
      },
    }),
  );
  await openSignup(page);
  await fillInAll(page, name);
  await expect(page.getByText("Taken.")).toBeVisible();
  await expect(username(page)).toBeFocused();
  await expectFine(page);
  await page.getByRole("button", { name: suggestions[1] }).click();
  await expect(username(page)).toHaveValue(suggestions[1] as string);
  await expect(page.getByText("Free.")).toBeVisible();
});

for (const { theme: colorScheme, viewport } of LOOKS) {
  test(`every page and step is accessible and fits: ${colorScheme}, ${viewport.width} px`, async ({
    page,
  }) => {
    const check = async () => {
      await expectFine(page);
      await expectNothingIsWider(page);
    };
    const name = freshName();
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(viewport);
    await openSignup(page);
    await check();
    await username(page).fill(name);
    await expect(page.getByText("Free.")).toBeVisible();
    await check();
    await username(page).press("Enter");
    await email(page).press("Enter");
    await check();
    await email(page).fill(`${name}@example.com`);
    await email(page).press("Enter");
    await secret(page).fill("short");
    await secret(page).press("Enter");
    await check();
    await secret(page).fill(password);
    await secret(page).press("Enter");
    await expect(page.getByRole("heading", { name: `Welcome, ${name}` })).toBeVisible();
    await check();
    await page.goto("/no-such-page");
    await check();
  });
}

test("the theme follows the system until the user chooses one, and then stays", async ({ page }) => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await openSignup(page);
  const dark = await background();
  await page.getByRole("button", { name: "Switch between light and dark" }).click();
  const light = await background();
  expect(light).not.toBe(dark);
  await page.reload();
  expect(await background()).toBe(light);
});

test("the page loads at most 150 kB of compressed script, also after the first check", async ({ page }) => {
  const sizes: Promise<number>[] = [];
  page.on("requestfinished", request => {
    if (request.resourceType() === "script") sizes.push(request.sizes().then(size => size.responseBodySize));
  });
  await openSignup(page);
  await username(page).fill(freshName());
  await expect(page.getByText("Free.")).toBeVisible();
  await page.waitForLoadState("networkidle");
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(sizes.length).toBeGreaterThan(0);
  expect(total, `${total} bytes of script`).toBeLessThanOrEqual(maxScriptBytes);
});
