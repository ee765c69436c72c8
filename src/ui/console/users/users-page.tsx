"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { consoleApi } from "../console-api";
import { ROLES, type UserRow } from "../contract";
import { Ago } from "../parts/ago";
import { type Column, DataTable } from "../parts/data-table";
import { PageHead } from "../parts/page-head";
import { RequirePermission } from "../parts/require-permission";
import { SearchField } from "../parts/search-field";
import { searchParser } from "../parts/search-parser";
import { SelectFilter } from "../parts/select-filter";
import { StateBadge } from "../parts/state-badge";
import { useSettled } from "../parts/use-settled";
import { useTableState } from "../parts/use-table-state";
import { UserDrawer } from "./user-drawer";

const STATUSES = ["active", "disabled"] as const;

const columns: Column<UserRow>[] = [
  {
    id: "username",
    title: "Username",
    sortable: true,
    cell: user => <bdi className="font-medium">{user.username}</bdi>,
  },
  { id: "email", title: "E-mail", wideOnly: true, cell: user => user.email },
  { id: "role", title: "Role", sortable: true, cell: user => user.role },
  {
    id: "status",
    title: "Status",
    cell: user => (
      <StateBadge
        state={user.disabledAt ? "critical" : "ok"}
        word={user.disabledAt ? "disabled" : "active"}
      />
    ),
  },
  { id: "sessions", title: "Sessions", number: true, wideOnly: true, cell: user => user.sessions },
  {
    id: "createdAt",
    title: "Created",
    sortable: true,
    wideOnly: true,
    cell: user => <Ago at={user.createdAt} />,
  },
];

export function UsersPage() {
  return (
    <RequirePermission action="user.view">
      <Users />
    </RequirePermission>
  );
}

function Users() {
  const state = useTableState(["createdAt", "username", "role"]);
  const [{ search, role, status, id }, setFilter] = useQueryStates({
    search: searchParser,
    role: parseAsStringLiteral(ROLES),
    status: parseAsStringLiteral(STATUSES),
    id: parseAsString,
  });
  const filter = {
    search: useSettled(search.trim()) || undefined,
    role: role ?? undefined,
    status: status ?? undefined,
    sort: state.sort,
    order: state.order,
    page: state.page,
    pageSize: state.pageSize,
  };
  const users = useQuery({
    queryKey: ["user.list", filter],
    queryFn: ({ signal }) => consoleApi.user.list.query(filter, { signal }),
    placeholderData: previous => previous,
  });
  const change = (next: Parameters<typeof setFilter>[0]) => {
    if (state.page > 1) state.setPage(1);
    void setFilter(next);
  };

  return (
    <>
      <PageHead title="Users" />
      <DataTable
        label="Users"
        columns={columns}
        rowKey={user => user.id}
        query={users}
        state={state}
        onOpen={user => void setFilter({ id: user.id })}
        openKey={id}
        empty={
          users.data?.isCut
            ? {
                title: "No user found",
                text: "Not all names with this start were searched. Type more of it.",
              }
            : { title: "No user matches", text: "Search by the start of a username or an e-mail address." }
        }
        tools={
          <>
            <SearchField
              label="Search username or e-mail"
              value={search}
              onValue={text => change({ search: text || null })}
            />
            <SelectFilter
              label="Role"
              any="Any role"
              value={role}
              options={ROLES}
              onValue={next => change({ role: next })}
            />
            <SelectFilter
              label="Status"
              any="Any status"
              value={status}
              options={STATUSES}
              onValue={next => change({ status: next })}
            />
          </>
        }
      />
      <UserDrawer
        user={users.data?.rows.find(user => user.id === id)}
        isMissing={id !== null && users.data !== undefined}
        onClose={() => void setFilter({ id: null })}
      />
    </>
  );
}
