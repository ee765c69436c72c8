"use client";

import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useState } from "react";
import { consoleApi } from "../console-api";
import type { OrderDeadLetter } from "../contract";
import { Ago } from "../parts/ago";
import { type Confirmation, ConfirmDialog } from "../parts/confirm-dialog";
import { type Column, DataTable } from "../parts/data-table";
import { Dialog } from "../parts/dialog";
import { PageHead } from "../parts/page-head";
import { RequirePermission } from "../parts/require-permission";
import { SelectFilter } from "../parts/select-filter";
import { useTableState } from "../parts/use-table-state";
import { DeadLetterDrawer } from "./dead-letter-drawer";
import { replayDeadLetter } from "./replay-dead-letter";
import { LIMIT, useDeadLetters } from "./use-dead-letters";

const REASONS = ["late", "unclear", "malformed", "unknown_symbol", "time_ahead", "gap"] as const;
type Reason = (typeof REASONS)[number];

const MEANINGS: Record<Reason, string> = {
  late: "It arrived after its place was passed: orders behind it had gone on to the engine.",
  unclear:
    "It arrived so long after its place was passed that nobody can tell whether it had gone on before.",
  malformed: "Its bytes could not be read as an order.",
  unknown_symbol: "No such symbol is traded.",
  time_ahead: "Its stamp lies in the future, further than clocks differ.",
  gap: "Records before it were trimmed before they were read.",
};

export function LatePage() {
  return (
    <RequirePermission action="orders.view">
      <PageHead title="Set aside" description="Events that did not go on to the engine; the newest 200" />
      <Events />
    </RequirePermission>
  );
}

const wordOf = (reason: string) => reason.replace("_", " ");
const isReason = (text: string): text is Reason => (REASONS as readonly string[]).includes(text);

/** What no row means: there is none, or none of those that were read is for this reason. */
function emptyText(reason: Reason | null, read: number) {
  if (reason === null || read === 0)
    return { title: "Nothing was set aside", text: "Every event that was read went on to the engine." };
  const newest = read < LIMIT ? "events that were set aside" : `newest ${LIMIT} events`;
  return {
    title: "None for this reason",
    text: `None of the ${newest} is “${wordOf(reason)}”. Look at any reason.`,
  };
}

const columns: Column<OrderDeadLetter>[] = [
  { id: "at", title: "Set aside", cell: ({ at }) => <Ago at={at} /> },
  { id: "reason", title: "Reason", cell: ({ reason }) => wordOf(reason) },
  { id: "symbol", title: "Symbol", cell: ({ event }) => event.symbol ?? "–" },
  { id: "orders", title: "Orders", number: true, cell: ({ orderCount }) => orderCount || "–" },
  {
    id: "event",
    title: "Event",
    wideOnly: true,
    cell: ({ event }) => <span className="code">{JSON.stringify(event)}</span>,
  },
  {
    id: "sent",
    title: "Sent again",
    wideOnly: true,
    cell: ({ sentAgainBy }) => (sentAgainBy === null ? "–" : `by ${sentAgainBy}`),
  },
];

function Events() {
  const state = useTableState();
  const [{ reason, id }, setFilter] = useQueryStates({
    reason: parseAsStringLiteral(REASONS),
    id: parseAsString,
  });
  const events = useDeadLetters();
  const rows = events.data?.rows.filter(row => reason === null || row.reason === reason);
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const opened = events.data?.rows.find(row => row.id === id);
  return (
    <>
      <DataTable
        label="Events set aside"
        columns={columns}
        rowKey={row => row.id}
        query={{ data: rows && { rows, total: rows.length }, error: events.error, refetch: events.refetch }}
        state={state}
        isWhole
        onOpen={row => void setFilter({ id: row.id }, { history: "push" })}
        openKey={id}
        empty={emptyText(reason, events.data?.rows.length ?? 0)}
        tools={
          <SelectFilter
            label="Reason"
            any="Any reason"
            value={reason}
            options={REASONS}
            words={{ unknown_symbol: "unknown symbol", time_ahead: "time ahead" }}
            onValue={next => void setFilter({ reason: next })}
          />
        }
      />
      <Dialog
        kind="drawer"
        open={id !== null}
        onClose={() => void setFilter({ id: null })}
        title={`Event ${id}`}
      >
        {opened ? (
          <DeadLetterDrawer
            row={opened}
            meaning={isReason(opened.reason) ? MEANINGS[opened.reason] : wordOf(opened.reason)}
            onReplay={() => setConfirmation(replayDeadLetter(consoleApi, opened))}
          />
        ) : (
          <p>It is not among the newest {LIMIT} events any more.</p>
        )}
      </Dialog>
      <ConfirmDialog confirmation={confirmation} onClose={() => setConfirmation(null)} />
    </>
  );
}
