"use client";

import { useQuery } from "@tanstack/react-query";
import {
  type inferParserType,
  parseAsIsoDate,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from "nuqs";
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
import { DownloadCsv } from "./download-csv";

const OUTCOMES = ["ok", "refused", "failed"] as const;
/** Audited actions that need no permission. */
const OTHER_ACTIONS = ["session.signIn", "session.signOut", ...Object.keys(SYSTEM_ACTIONS)];
const DAY_MS = 86_400_000;

const columns: Column<AuditRow>[] = [
  { id: "at", title: "Time", cell: row => <Ago at={row.at} /> },
  {
    id: "actor",
    title: "Actor",
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

const parsers = {
  search: searchParser,
  action: parseAsString,
  actor: parseAsString,
  outcome: parseAsStringLiteral(OUTCOMES),
  from: parseAsIsoDate,
  to: parseAsIsoDate,
  id: parseAsString,
};
type Filters = inferParserType<typeof parsers>;

function AuditLog() {
  const state = useTableState();
  const [filters, setFilter] = useQueryStates(parsers);
  const { search, action, actor, outcome, from, to, id } = filters;
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
  const onChange = (next: Partial<Filters>) => {
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
        tools={<FilterFields filters={filters} onChange={onChange} />}
      />
      <AuditDrawer id={id} onClose={() => void setFilter({ id: null })} />
    </>
  );
}

type FilterFieldsProps = { filters: Filters; onChange: (next: Partial<Filters>) => void };

function FilterFields({ filters, onChange }: FilterFieldsProps) {
  const { search, action, outcome, from, to, actor } = filters;
  const { can } = useSession();
  return (
    <>
      <SearchField
        label="Search target, reason, request"
        value={search}
        onValue={text => onChange({ search: text })}
      />
      <SelectFilter
        label="Action"
        any="Any action"
        value={action}
        options={[...new Set([...(action ? [action] : []), ...Object.keys(can), ...OTHER_ACTIONS])]}
        onValue={next => onChange({ action: next })}
      />
      <SelectFilter
        label="Outcome"
        any="Any outcome"
        value={outcome}
        options={OUTCOMES}
        words={{ ok: "done" }}
        onValue={next => onChange({ outcome: next })}
      />
      <DayField label="From" value={from} onValue={day => onChange({ from: day })} />
      <DayField label="To" value={to} onValue={day => onChange({ to: day })} />
      {actor && (
        <button type="button" className="btn btn-outline" onClick={() => onChange({ actor: null })}>
          By {actor}: show all users
        </button>
      )}
    </>
  );
}

type DayFieldProps = { label: string; value: Date | null; onValue: (day: Date | null) => void };

/** A day in UTC, as in the address. */
function DayField({ label, value, onValue }: DayFieldProps) {
  return (
    <label className="flex items-center gap-1.5 text-[0.8125rem] text-soft">
      {label}
      <input
        type="date"
        className="input w-auto! min-w-0 text-[0.8125rem]! text-ink max-sm:flex-1 max-sm:px-1.5!"
        value={value ? value.toISOString().slice(0, 10) : ""}
        onChange={event => onValue(event.target.valueAsDate)}
      />
    </label>
  );
}
