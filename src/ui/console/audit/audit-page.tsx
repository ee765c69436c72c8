"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsIsoDate, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { SYSTEM_ACTIONS } from "../../../domain/access/permissions";
import { consoleApi } from "../console-api";
import type { AuditRow } from "../contract";
import { Ago } from "../parts/ago";
import { type Column, DataTable } from "../parts/data-table";
import { OutcomeBadge } from "../parts/outcome-badge";
import { PageHead } from "../parts/page-head";
import { RequirePermission } from "../parts/require-permission";
import { SearchField } from "../parts/search-field";
import { searchParser } from "../parts/search-parser";
import { SelectFilter } from "../parts/select-filter";
import { useSettled } from "../parts/use-settled";
import { useTableState } from "../parts/use-table-state";
import { visibleText } from "../parts/visible-text";
import { useSession } from "../session/session";
import { AuditDrawer } from "./audit-drawer";
import { DayField } from "./day-field";
import { DownloadCsv } from "./download-csv";

const OUTCOMES = ["ok", "refused", "failed"] as const;
/** Audited actions that need no permission. */
const OTHER_ACTIONS = ["session.signIn", "session.signOut", ...Object.keys(SYSTEM_ACTIONS)];
const DAY_MS = 86_400_000;

const columns: Column<AuditRow>[] = [
  { id: "at", title: "When", cell: row => <Ago at={row.at} /> },
  {
    id: "actor",
    title: "Who",
    wideOnly: true,
    cell: row => <bdi className="font-medium">{row.actorName}</bdi>,
  },
  { id: "role", title: "Role", wideOnly: true, cell: row => row.role ?? "–" },
  {
    id: "action",
    title: "Action",
    cell: row => (
      <>
        <span className="code">{row.action}</span>
        <bdi className="narrow-only text-xs text-soft">{row.actorName}</bdi>
      </>
    ),
  },
  {
    id: "target",
    title: "Target",
    wideOnly: true,
    cell: row => <bdi title={row.target ?? undefined}>{row.target ? visibleText(row.target) : "–"}</bdi>,
  },
  {
    id: "reason",
    title: "Reason",
    wideOnly: true,
    cell: row => <span title={row.reason ?? undefined}>{row.reason ?? "–"}</span>,
  },
  { id: "outcome", title: "Outcome", cell: row => <OutcomeBadge outcome={row.outcome} /> },
];

export function AuditPage() {
  return (
    <RequirePermission action="audit.view">
      <AuditLog />
    </RequirePermission>
  );
}

function AuditLog() {
  const state = useTableState();
  const { can } = useSession();
  const [{ search, action, actor, outcome, from, to, id }, setFilter] = useQueryStates({
    search: searchParser,
    action: parseAsString,
    actor: parseAsString,
    outcome: parseAsStringLiteral(OUTCOMES),
    from: parseAsIsoDate,
    to: parseAsIsoDate,
    id: parseAsString,
  });
  const query = {
    search: useSettled(search.trim()) || undefined,
    action: action ?? undefined,
    actor: actor ?? undefined,
    outcome: outcome ?? undefined,
    from: from?.toISOString(),
    // The last day counts in full.
    to: to ? new Date(to.getTime() + DAY_MS).toISOString() : undefined,
  };
  const filter = { ...query, page: state.page, pageSize: state.pageSize };
  const rows = useQuery({
    queryKey: ["audit.list", filter],
    queryFn: ({ signal }) => consoleApi.audit.list.query(filter, { signal }),
    placeholderData: previous => previous,
  });
  const change = (next: Parameters<typeof setFilter>[0]) => {
    if (state.page > 1) state.setPage(1);
    void setFilter(next);
  };

  return (
    <>
      <PageHead title="Audit log" description="Every change and every refused attempt; rows can't be edited">
        <DownloadCsv query={query} />
      </PageHead>
      <DataTable
        label="Audit log"
        columns={columns}
        rowKey={row => row.id}
        query={rows}
        state={state}
        onOpen={row => void setFilter({ id: row.id }, { history: "push" })}
        openKey={id}
        empty={{ title: "No row matches", text: "Clear a filter, or choose a longer time." }}
        tools={
          <>
            <SearchField
              label="Search target, reason, request"
              value={search}
              onValue={text => change({ search: text || null })}
            />
            <SelectFilter
              label="Action"
              any="Any action"
              value={action}
              options={[...new Set([...(action ? [action] : []), ...Object.keys(can), ...OTHER_ACTIONS])]}
              onValue={next => change({ action: next })}
            />
            <SelectFilter
              label="Outcome"
              any="Any outcome"
              value={outcome}
              options={OUTCOMES}
              words={{ ok: "done" }}
              onValue={next => change({ outcome: next })}
            />
            <DayField label="From" value={from} onValue={day => change({ from: day })} />
            <DayField label="To" value={to} onValue={day => change({ to: day })} />
            {actor && (
              <button type="button" className="btn btn-outline" onClick={() => change({ actor: null })}>
                By {actor}: show all users
              </button>
            )}
          </>
        }
      />
      <AuditDrawer id={id} onClose={() => void setFilter({ id: null })} />
    </>
  );
}
