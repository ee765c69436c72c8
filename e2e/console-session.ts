import { randomBytes } from "node:crypto";
import { type Browser, test as base, expect, type Page, request } from "@playwright/test";

const password = "seven rivers run north";
type State = Awaited<ReturnType<ReturnType<Page["context"]>["storageState"]>>;

export const freshName = () => `e2e${randomBytes(5).toString("hex")}`;
export const nobody = { cookies: [], origins: [] };

/** By the API: the form has a test of its own. Sign-ins are rationed, so a full quota is waited for. */
export async function signIn(page: Page, username: string, secret = password): Promise<void> {
  const post = () =>
    page.request.post("/api/auth/sign-in/username", {
      data: { username, password: secret },
      headers: { origin: new URL(test.info().project.use.baseURL ?? "http://localhost").origin },
    });
  let response = await post();
  if (response.status() === 429) {
    const { retryAfterMs } = (await response.json()) as { retryAfterMs?: number };
    await new Promise(resolve => setTimeout(resolve, (retryAfterMs ?? 1_000) + 250));
    response = await post();
  }
  expect(response.status(), await response.text()).toBe(200);
}

/** A member, as the signup page makes them: in a browser of their own, which signing up signs in. */
export async function signUp(name = freshName()): Promise<string> {
  const api = await request.newContext({ baseURL: test.info().project.use.baseURL });
  const data = { username: name, email: `${name}@example.com`, password };
  const response = await api.post("/api/trpc/account.signUp", { data });
  expect(response.status(), await response.text()).toBe(200);
  await api.dispose();
  return name;
}

export type Called = { result?: { data: Record<string, unknown> }; error?: { message: string } };

/** Calls a mutation as whoever is signed in. */
export async function call(page: Page, name: string, input: object): Promise<Called> {
  const origin = new URL(test.info().project.use.baseURL ?? "http://localhost").origin;
  const response = await page.request.post(`/api/trpc/${name}`, { data: input, headers: { origin } });
  return (await response.json()) as Called;
}

export const adminPassword = () => process.env.E2E_ADMIN_PASSWORD ?? "";

/** Every test begins as the admin, who signs in once per worker. */
export const test = base.extend<object, { adminState: State }>({
  adminState: [
    async ({ browser }: { browser: Browser }, use: (state: State) => Promise<void>) => {
      const page = await browser.newPage({ baseURL: test.info().project.use.baseURL });
      await signIn(page, process.env.E2E_ADMIN_NAME ?? "admin", adminPassword());
      const state = await page.context().storageState();
      await page.close();
      await use(state);
    },
    { scope: "worker" },
  ],
  storageState: ({ adminState }, use) => use(adminState),
});
