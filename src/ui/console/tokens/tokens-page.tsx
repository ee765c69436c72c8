"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useState } from "react";
import { describeAccounts } from "../../../domain/access/account-binding";
import { consoleApi } from "../console-api";
import type { TokenRow } from "../contract";
import { Ago } from "../parts/ago";
import { type Confirmation, ConfirmDialog } from "../parts/confirm-dialog";
import { type Column, DataTable } from "../parts/data-table";
import { PageHead } from "../parts/page-head";
import { PermittedButton } from "../parts/permitted-button";
import { RequirePermission } from "../parts/require-permission";
import { StateBadge } from "../parts/state-badge";
import { useTableState } from "../parts/use-table-state";
import { CreateToken } from "./create-token";

export function TokensPage() {
  return (
    <RequirePermission action="token.view">
      <Tokens />
    </RequirePermission>
  );
}

function revokeToken({ id, name, lastUsedAt }: TokenRow): Confirmation {
  const used = lastUsedAt ? "Calls with this token get 401 from now on." : "The token was never used.";
  return {
    title: `Revoke ${name}`,
    consequence: `${used} A revoked token can't be restored; the machine needs a new one.`,
    reach: "irreversible",
    typedName: name,
    verb: `Revoke ${name}`,
    run: reason => consoleApi.token.revoke.mutate({ id, reason }),
    done: `${name} is revoked`,
    refresh: ["token.list"],
  };
}

function TokenState({ token }: { token: TokenRow }) {
  if (token.revokedAt) return <StateBadge state="critical" word="revoked" />;
  const hasExpired = token.expiresAt !== null && new Date(token.expiresAt).getTime() < Date.now();
  return hasExpired ? <StateBadge state="warning" word="expired" /> : <StateBadge state="ok" word="valid" />;
}

function Tokens() {
  const [add, setAdd] = useQueryState("add", parseAsBoolean.withDefault(false));
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const state = useTableState();
  const tokens = useQuery({
    queryKey: ["token.list"],
    queryFn: ({ signal }) => consoleApi.token.list.query(undefined, { signal }),
    select: ({ rows }) => ({ rows, total: rows.length }),
  });
  const columns: Column<TokenRow>[] = [
    { id: "name", title: "Name", cell: token => <span className="font-medium">{token.name}</span> },
    { id: "role", title: "Role", wideOnly: true, cell: token => token.role ?? token.scopes.join(", ") },
    {
      id: "accounts",
      title: "Submits orders for",
      wideOnly: true,
      cell: token => (token.accounts.length > 0 ? describeAccounts(token.accounts) : "–"),
    },
    { id: "state", title: "State", cell: token => <TokenState token={token} /> },
    {
      id: "used",
      title: "Last used",
      wideOnly: true,
      cell: token => (token.lastUsedAt ? <Ago at={token.lastUsedAt} /> : "–"),
    },
    {
      id: "expires",
      title: "Expires",
      wideOnly: true,
      cell: token => (token.expiresAt ? <Ago at={token.expiresAt} /> : "–"),
    },
    { id: "by", title: "Created by", wideOnly: true, cell: token => token.createdBy },
    { id: "created", title: "Created", wideOnly: true, cell: token => <Ago at={token.createdAt} /> },
    {
      id: "revoke",
      title: <span className="sr-only">Change</span>,
      number: true,
      cell: token => (
        <PermittedButton
          action="token.manage"
          className="btn btn-small btn-outline"
          disabledReason={token.revokedAt ? "The token is revoked already." : undefined}
          aria-label={`Revoke ${token.name}`}
          onClick={() => setConfirmation(revokeToken(token))}
        >
          Revoke
        </PermittedButton>
      ),
    },
  ];
  return (
    <>
      <PageHead
        title="Service tokens"
        description="For machines that submit orders, and for scripts that call the API"
      >
        <PermittedButton action="token.manage" className="btn btn-primary" onClick={() => void setAdd(true)}>
          <Plus size={14} aria-hidden="true" /> Create a token
        </PermittedButton>
      </PageHead>
      <DataTable
        label="Service tokens"
        columns={columns}
        rowKey={token => token.id}
        query={tokens}
        state={state}
        isWhole
        empty={{
          title: "No service tokens",
          text: "Create one per machine, so that each can be revoked alone.",
        }}
      />
      {add && <CreateToken onClose={() => void setAdd(null)} />}
      <ConfirmDialog confirmation={confirmation} onClose={() => setConfirmation(null)} />
    </>
  );
}
