/**
 * The accounts for which a service token may submit orders. An entry is an account id, or a prefix that
 * ends in `*`; `*` alone is every account. An account id contains no `*`.
 */
export type AccountList = readonly string[];

const ENTRY = /^([A-Za-z0-9_-]{1,36}|[A-Za-z0-9_-]{0,35}\*)$/;
const MAX_ACCOUNTS = 100;
const MAX_DESCRIBED = 10;

/** Why a list is refused; undefined: it is allowed. */
export function accountsProblem(accounts: AccountList): string | undefined {
  const wrong = accounts.find(entry => !ENTRY.test(entry));
  if (wrong !== undefined)
    return `“${wrong}” is neither an account id (1 to 36 letters, digits, - or _) nor a prefix that ends in *.`;
  if (accounts.length > MAX_ACCOUNTS)
    return `Give at most ${MAX_ACCOUNTS} accounts, or a prefix that ends in *.`;
  if (accounts.includes("*") && accounts.length > 1) return "“*” means all accounts: give it alone.";
  return undefined;
}

export function mayUseAccount(accounts: AccountList, accountId: string): boolean {
  return accounts.some(entry =>
    entry.endsWith("*") ? accountId.startsWith(entry.slice(0, -1)) : entry === accountId,
  );
}

/** As an error or a table cell shows them. */
export function describeAccounts(accounts: AccountList): string {
  if (accounts.length === 0) return "no account";
  if (accounts.includes("*")) return "all accounts";
  const more = accounts.length - MAX_DESCRIBED;
  const shown = accounts.slice(0, MAX_DESCRIBED).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
