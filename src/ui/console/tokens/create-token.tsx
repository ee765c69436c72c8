"use client";

import { useId, useState } from "react";
import { consoleApi } from "../console-api";
import { Dialog } from "../parts/dialog";
import { FormDialog } from "../parts/form-dialog";
import { Secret } from "./secret";
import {
  readTokenDraft,
  TOKEN_GRANTS,
  type TokenDraft,
  type TokenGrantName,
  takesAccounts,
  tokenDraftProblem,
} from "./token-draft";

const LIFETIMES = [
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "a year"],
  ["", "no limit"],
] as const;

const TITLE = "Create a service token";

const EMPTY: TokenDraft = { name: "", grant: "viewer", accounts: "", days: "90" };

export function CreateToken({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY);
  const [secret, setSecret] = useState<string | null>(null);
  const change = (part: Partial<TokenDraft>) => setDraft(before => ({ ...before, ...part }));

  if (secret !== null)
    return (
      <Dialog open onClose={onClose} title={TITLE}>
        <Secret name={draft.name.trim()} secret={secret} onClose={onClose} />
      </Dialog>
    );
  return (
    <FormDialog
      title={TITLE}
      action="token.manage"
      verb="Create the token"
      disabledReason={tokenDraftProblem(draft)}
      run={pressedAtMs => consoleApi.token.create.mutate(readTokenDraft(draft, pressedAtMs))}
      onDone={created => setSecret(created.secret)}
      refresh={["token.list"]}
      onClose={onClose}
    >
      <TokenFields draft={draft} onChange={change} />
      {(draft.grant === "admin" || draft.grant === "operator") && (
        <p className="consequence" data-tone="warning">
          A program with this token can change what the role {draft.grant} can change, without signing in.
        </p>
      )}
    </FormDialog>
  );
}

type TokenFieldsProps = { draft: TokenDraft; onChange: (part: Partial<TokenDraft>) => void };

function TokenFields({ draft: { name, grant, accounts, days }, onChange }: TokenFieldsProps) {
  const id = useId();
  return (
    <>
      <div>
        <label className="label" htmlFor={`${id}-name`}>
          Name of the machine or script
        </label>
        <input
          id={`${id}-name`}
          data-first
          className="input"
          autoComplete="off"
          maxLength={64}
          value={name}
          onChange={event => onChange({ name: event.target.value })}
        />
      </div>
      <div className="flex flex-wrap gap-4">
        <label>
          <span className="label">Role</span>
          <select
            className="input"
            value={grant}
            onChange={event => onChange({ grant: event.target.value as TokenGrantName })}
          >
            {TOKEN_GRANTS.map(({ value, title }) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span className="label">Lifetime</span>
          <select className="input" value={days} onChange={event => onChange({ days: event.target.value })}>
            {LIFETIMES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      {takesAccounts(grant) && (
        <AccountsField
          accounts={accounts}
          isNeeded={grant === "orders"}
          onAccounts={text => onChange({ accounts: text })}
        />
      )}
    </>
  );
}

type AccountsFieldProps = { accounts: string; isNeeded: boolean; onAccounts: (text: string) => void };

function AccountsField({ accounts, isNeeded, onAccounts }: AccountsFieldProps) {
  const id = useId();
  const without = isNeeded ? "" : " Without accounts the token submits no orders.";
  return (
    <div>
      <label className="label" htmlFor={id}>
        Accounts that it may submit orders for
      </label>
      <input
        id={id}
        className="input"
        autoComplete="off"
        spellCheck={false}
        aria-describedby={`${id}-help`}
        placeholder="alice, desk-*"
        value={accounts}
        onChange={event => onAccounts(event.target.value)}
      />
      <p id={`${id}-help`} className="text-[0.8125rem] text-soft">
        Account ids, or prefixes that end in *, separated by commas. * alone means all accounts.{without}
      </p>
    </div>
  );
}
