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
  late: "The watermark had passed its timestamp: the engine already has later orders.",
  unclear: "The watermark passed its timestamp long ago. Whether the engine has it already is unknown.",
  malformed: "Its bytes could not be decoded as orders.",
  unknown_symbol: "Its symbol is not traded.",
  time_ahead: "Its timestamp is further in the future than clocks may differ.",
  gap: "Records before it were trimmed from the log before they were read.",
};

export function DeadLettersPage() {
  return (
    <RequirePermission action="orders.view">
      <PageHead
        title="Dead letters"
        description={`Events that were not passed to the engine; the newest ${LIMIT}`}
      />
      <DeadLetters />
    </RequirePermission>
  );
}

const REASON_WORDS: Record<Reason, string> = {
  late: "late",
  unclear: "delivery unclear",
  malformed: "malformed",
  unknown_symbol: "unknown symbol",
  time_ahead: "timestamp ahead",
  gap: "gap",
};
const wordOf = (reason: string) => (isReason(reason) ? REASON_WORDS[reason] : reason);
const isReason = (text: string): text is Reason => (REASONS as readonly string[]).includes(text);

/** An empty table: there are no dead letters, or none of those that were read has this reason. */
function emptyText(reason: Reason | null, read: number) {
  if (reason === null || read === 0)
    return { title: "No dead letters", text: "All events that were read were passed to the engine." };
  const newest = read < LIMIT ? "dead letters" : `newest ${LIMIT} dead letters`;
  return {
    title: "No dead letters with this reason",
    text: `None of the ${newest} is “${wordOf(reason)}”. Choose any reason.`,
  };
}

const columns: Column<OrderDeadLetter>[] = [
  { id: "at", title: "Time", cell: ({ at }) => <Ago at={at} /> },
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
    id: "replayed",
    title: "Replayed",
    wideOnly: true,
    cell: ({ replayedBy }) => (replayedBy === null ? "–" : `by ${replayedBy}`),
  },
];

function DeadLetters() {
  const state = useTableState();
  const [{ reason, id }, setFilter] = useQueryStates({
    reason: parseAsStringLiteral(REASONS),
    id: parseAsString,
  });
  const deadLetters = useDeadLetters();
  const rows = deadLetters.data?.rows.filter(row => reason === null || row.reason === reason);
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const opened = deadLetters.data?.rows.find(row => row.id === id);
  return (
    <>
      <DataTable
        label="Dead letters"
        columns={columns}
        rowKey={row => row.id}
        query={{
          data: rows && { rows, total: rows.length },
          error: deadLetters.error,
          refetch: deadLetters.refetch,
        }}
        state={state}
        isWhole
        onOpen={row => void setFilter({ id: row.id }, { history: "push" })}
        openKey={id}
        empty={emptyText(reason, deadLetters.data?.rows.length ?? 0)}
        tools={
          <SelectFilter
            label="Reason"
            any="Any reason"
            value={reason}
            options={REASONS}
            words={REASON_WORDS}
            onValue={next => void setFilter({ reason: next })}
          />
        }
      />
      <Dialog
        kind="drawer"
        open={id !== null}
        onClose={() => void setFilter({ id: null })}
        title={`Dead letter ${id}`}
      >
        {opened ? (
          <DeadLetterDrawer
            row={opened}
            meaning={isReason(opened.reason) ? MEANINGS[opened.reason] : wordOf(opened.reason)}
            onReplay={() => setConfirmation(replayDeadLetter(consoleApi, opened))}
          />
        ) : (
          <p>It is no longer among the newest {LIMIT} dead letters.</p>
        )}
      </Dialog>
      <ConfirmDialog confirmation={confirmation} onClose={() => setConfirmation(null)} />
    </>
  );
}
