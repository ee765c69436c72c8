"use client";

import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { parseAsBoolean, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useState } from "react";
import { consoleApi } from "../console-api";
import type { ReservedRow } from "../contract";
import { Ago } from "../parts/ago";
import { type Confirmation, ConfirmDialog } from "../parts/confirm-dialog";
import { type Column, DataTable } from "../parts/data-table";
import { PageHead } from "../parts/page-head";
import { PermittedButton } from "../parts/permitted-button";
import { RequirePermission } from "../parts/require-permission";
import { SearchField } from "../parts/search-field";
import { searchParser } from "../parts/search-parser";
import { SelectFilter } from "../parts/select-filter";
import { useSettled } from "../parts/use-settled";
import { useTableState } from "../parts/use-table-state";
import { AddWord } from "./add-word";
import { KINDS } from "./reserved-kinds";

export function ReservedPage() {
  return (
    <RequirePermission action="reserved.view">
      <ReservedWords />
    </RequirePermission>
  );
}

function ReservedWords() {
  const state = useTableState();
  const [{ search, kind, add }, setFilter] = useQueryStates({
    search: searchParser,
    kind: parseAsStringLiteral(KINDS),
    add: parseAsBoolean.withDefault(false),
  });
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const filter = {
    search: useSettled(search.trim()) || undefined,
    kind: kind ?? undefined,
    page: state.page,
    pageSize: state.pageSize,
  };
  const words = useQuery({
    queryKey: ["reserved.list", filter],
    queryFn: ({ signal }) => consoleApi.reserved.list.query(filter, { signal }),
    placeholderData: previous => previous,
  });
  const change = (next: Parameters<typeof setFilter>[0]) => {
    if (state.page > 1) state.setPage(1);
    void setFilter(next);
  };

  const columns = wordColumns(word => setConfirmation(releaseWord(word)));

  return (
    <>
      <PageHead
        title="Reserved words"
        description="Names that no user may take; servers follow within five seconds"
      >
        <PermittedButton
          action="reserved.edit"
          className="btn btn-primary"
          onClick={() => void setFilter({ add: true })}
        >
          <Plus size={14} aria-hidden="true" /> Reserve a word
        </PermittedButton>
      </PageHead>
      <DataTable
        label="Reserved words"
        columns={columns}
        rowKey={word => word.id}
        query={words}
        state={state}
        empty={{ title: "No word matches", text: "Clear the search, or reserve the word." }}
        tools={
          <>
            <SearchField
              label="Search words and reasons"
              value={search}
              onValue={text => change({ search: text || null })}
            />
            <SelectFilter
              label="Kind"
              any="Any kind"
              value={kind}
              options={KINDS}
              onValue={next => change({ kind: next })}
            />
          </>
        }
      />
      {add && <AddWord onClose={() => void setFilter({ add: null })} />}
      <ConfirmDialog confirmation={confirmation} onClose={() => setConfirmation(null)} />
    </>
  );
}

function wordColumns(onRelease: (word: ReservedRow) => void): Column<ReservedRow>[] {
  return [
    { id: "pattern", title: "Word", cell: word => <bdi className="font-medium">{word.pattern}</bdi> },
    { id: "kind", title: "Matches", cell: word => word.kind },
    {
      id: "reason",
      title: "Reason",
      wideOnly: true,
      cell: word => <span title={word.reason}>{word.reason}</span>,
    },
    { id: "createdBy", title: "Created by", wideOnly: true, cell: word => word.createdBy ?? "first start" },
    { id: "createdAt", title: "Created", wideOnly: true, cell: word => <Ago at={word.createdAt} /> },
    {
      id: "remove",
      title: <span className="sr-only">Change</span>,
      number: true,
      cell: word => (
        <PermittedButton
          action="reserved.edit"
          className="btn btn-quiet btn-small"
          aria-label={`Release ${word.pattern}`}
          onClick={() => onRelease(word)}
        >
          Release
        </PermittedButton>
      ),
    },
  ];
}

function releaseWord({ id, pattern, kind }: ReservedRow): Confirmation {
  return {
    title: `Release ${pattern}`,
    consequence: `A new user can take ${kind === "exact" ? "this name" : "names that only this word reserved"} after five seconds at most. Reserving it again does not take a name back.`,
    reach: "large",
    verb: `Release ${pattern}`,
    run: reason => consoleApi.reserved.remove.mutate({ id, reason }),
    done: `${pattern} is free to take`,
    refresh: ["reserved.list"],
  };
}
