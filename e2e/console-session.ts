import { randomBytes } from "node:crypto";
import {
  type Browser,
  type BrowserContext,
  test as base,
  expect,
  type Page,
  request,
} from "@playwright/test";

const password = "seven rivers run north";
type State = Awaited<ReturnType<ReturnType<Page["context"]>["storageState"]>>;

export const freshName = () => `e2e${randomBytes(5).toString("hex")}`;
export const signedOut = { cookies: [], origins: [] };

/** Signs in by the API, since the form has its own test. Waits when the quota is used up. */
export async function signIn(page: Page, username: string, secret = password): Promise<void> {
  const post = () =>
    page.request.post("/api/auth/sign-in/username", {
      data: { username, password: secret },
      headers: { origin: originOf() },
    });
  let response = await post();
  if (response.status() === 429) {
    const { retryAfterMs } = (await response.json()) as { retryAfterMs?: number };
    await new Promise(resolve => setTimeout(resolve, (retryAfterMs ?? 1_000) + 250));
    response = await post();
  }
  expect(response.status(), await response.text()).toBe(200);
}

/** Signs up a member in a browser of its own. Resolves to the name. */
export async function signUp(name = freshName()): Promise<string> {
  const api = await request.newContext({ baseURL: test.info().project.use.baseURL });
  const data = { username: name, email: `${name}@example.com`, password };
  const response = await api.post("/api/trpc/account.signUp", { data });
  expect(response.status(), await response.text()).toBe(200);
  await api.dispose();
  return name;
}

/** The origin of the server under test. */
export const originOf = () => new URL(test.info().project.use.baseURL ?? "http://localhost").origin;

export type Called = {
  status: number;
  result?: { data: Record<string, unknown> };
  error?: { message: string };
};

/** Calls a mutation as the signed-in user, or with the secret of a service token. */
export async function callApi(page: Page, name: string, input: object, secret?: string): Promise<Called> {
  const headers = { origin: originOf(), ...(secret && { authorization: `Bearer ${secret}` }) };
  const response = await page.request.post(`/api/trpc/${name}`, { data: input, headers });
  return { status: response.status(), ...((await response.json()) as Omit<Called, "status">) };
}

/** The result of a query for the signed-in user. */
export async function queryApi<T>(page: Page, name: string, input?: object): Promise<T> {
  const query = input ? `?input=${encodeURIComponent(JSON.stringify(input))}` : "";
  const response = await page.request.get(`/api/trpc/${name}${query}`);
  expect(response.status(), `${name} answers`).toBe(200);
  return ((await response.json()) as { result: { data: T } }).result.data;
}

/** Signs up a user whom the admin of the page gives this role. Resolves to the name. */
async function signUpAs(page: Page, role: string): Promise<string> {
  const username = await signUp();
  type Users = { rows: { id: string; version: number }[] };
  const { rows } = await queryApi<Users>(page, "user.list", { search: username });
  const { id, version } = rows[0]!;
  const given = await callApi(page, "user.setRole", { id, version, role, reason: "a test" });
  expect(given.error).toBeUndefined();
  return username;
}

/** The secret of a new service token with this one scope, made by the admin of the page. */
export async function token(page: Page, scope: string): Promise<string> {
  const accounts = scope === "orders.submit" ? ["*"] : [];
  const made = await callApi(page, "token.create", { name: freshName(), scopes: [scope], accounts });
  expect(made.error).toBeUndefined();
  return String(made.result!.data.secret);
}

export const adminPassword = () => process.env.E2E_ADMIN_PASSWORD ?? "";

/** A page of a new user with this role, in a browser of its own, until the test ends. */
type As = (role: "viewer" | "trader" | "operator") => Promise<Page>;

/** Every test starts as the admin, who signs in once per worker. */
export const test = base.extend<{ as: As }, { adminState: State }>({
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
  as: async ({ page, browser }, use) => {
    const others: BrowserContext[] = [];
    await use(async role => {
      const username = await signUpAs(page, role);
      const context = await browser.newContext({ storageState: signedOut });
      others.push(context);
      const other = await context.newPage();
      await signIn(other, username);
      return other;
    });
    for (const context of others) await context.close();
  },
  storageState: ({ adminState }, use) => use(adminState),
});
