import { type AccountList, describeAccounts, mayUseAccount } from "../../domain/access/account-binding";
import { AppError } from "../../domain/app-error";
import type { Actor } from "./read-actor";

/** Refuses a batch in which one order is of an account that the caller's token may not use. @throws AppError FORBIDDEN */
export function requireAccounts(
  { accounts }: Pick<Actor, "accounts">,
  orders: readonly { accountId: string }[],
): void {
  if (accounts === undefined) return;
  const index = orders.findIndex(({ accountId }) => !mayUseAccount(accounts, accountId));
  if (index < 0) return;
  throw new AppError("FORBIDDEN", `Order ${index + 1}: ${refusal(accounts, orders[index]!.accountId)}`);
}

/** For reading: a token that is bound to accounts sees only theirs. @throws AppError FORBIDDEN */
export function requireVisibleAccount({ accounts }: Pick<Actor, "accounts">, accountId: string): void {
  if (accounts === undefined || accounts.length === 0 || mayUseAccount(accounts, accountId)) return;
  throw new AppError("FORBIDDEN", refusal(accounts, accountId));
}

function refusal(accounts: AccountList, accountId: string): string {
  const advice = accounts.length === 0 ? " Create a token with the accounts that it needs." : "";
  return `This token may not use the account ${accountId}. It may use: ${describeAccounts(accounts)}.${advice}`;
}
