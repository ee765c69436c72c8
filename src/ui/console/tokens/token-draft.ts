import { accountsProblem } from "../../../domain/access/account-binding";
import { ROLES, type Role } from "../contract";

type Grantable = Exclude<Role, "member">;

/** What a new token may do: what a role may do, or only submit orders. */
export const TOKEN_GRANTS: readonly { value: Grantable | "orders"; title: string }[] = [
  ...ROLES.filter((role): role is Grantable => role !== "member").map(role => ({ value: role, title: role })),
  { value: "orders", title: "submit orders only" },
];
export type TokenGrantName = (typeof TOKEN_GRANTS)[number]["value"];

/** As it was typed; `days` is "" for no limit. */
export type TokenDraft = { name: string; grant: TokenGrantName; accounts: string; days: string };

export const takesAccounts = (grant: TokenGrantName): boolean => grant === "orders" || grant === "admin";

const DAY_MS = 86_400_000;

/** The request of a draft, whose lifetime begins at `nowMs`. */
export function readTokenDraft({ name, grant, accounts, days }: TokenDraft, nowMs: number) {
  const expiresAt = days ? new Date(nowMs + Number(days) * DAY_MS).toISOString() : undefined;
  const list = takesAccounts(grant) ? accountsOf(accounts) : undefined;
  if (grant === "orders")
    return { name: name.trim(), scopes: ["orders.submit" as const], accounts: list, expiresAt };
  return { name: name.trim(), role: grant, accounts: list, expiresAt };
}

/** Why the token cannot be created; undefined: it can. */
export function tokenDraftProblem({ name, grant, accounts }: TokenDraft): string | undefined {
  if (name.trim() === "") return "Type a name first.";
  if (!takesAccounts(grant)) return undefined;
  const list = accountsOf(accounts);
  if (grant === "orders" && list.length === 0) return "Give the accounts first; * means all accounts.";
  return accountsProblem(list);
}

function accountsOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter(entry => entry !== ""))];
}
