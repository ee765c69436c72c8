"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { consoleApi } from "../console-api";
import type { DeadLetter } from "../contract";
import { Ago } from "../parts/ago";
import { type Confirmation, ConfirmDialog } from "../parts/confirm-dialog";
import { type Column, DataTable } from "../parts/data-table";
import { formatQuantity } from "../parts/format";
import { PageHead } from "../parts/page-head";
import { PermittedButton } from "../parts/permitted-button";
import { RequirePermission } from "../parts/require-permission";
import { useTableState } from "../parts/use-table-state";
import { DeadLetterDrawer } from "./dead-letter-drawer";
import { OutboxSummary } from "./outbox-summary";
import { ReplicationSlots } from "./replication-slots";

export function OutboxPage() {
  return (
    <RequirePermission action="outbox.view">
      <PageHead title="Outbox" description="Delivers new usernames to every live filter version" />
      <OutboxSummary />
      <ReplicationSlots />
      <DeadLetters />
    </RequirePermission>
  );
}

const letterColumns: Column<DeadLetter>[] = [
  { id: "seq", title: "Row", cell: ({ seq }) => <span className="code">{seq}</span> },
  { id: "type", title: "Event", wideOnly: true, cell: ({ type }) => type },
  { id: "lastError", title: "Last error", cell: letter => letter.lastError ?? "–" },
  { id: "attempts", title: "Attempts", number: true, wideOnly: true, cell: letter => letter.attempts },
  { id: "deadAt", title: "Dead since", wideOnly: true, cell: letter => <Ago at={letter.deadAt} /> },
  { id: "createdAt", title: "Created", wideOnly: true, cell: letter => <Ago at={letter.createdAt} /> },
];

function DeadLetters() {
  const state = useTableState();
  const input = { page: state.page, pageSize: state.pageSize };
  const letters = useQuery({
    queryKey: ["outbox.deadLetters", input],
    queryFn: ({ signal }) => consoleApi.outbox.deadLetters.query(input, { signal }),
    placeholderData: previous => previous,
    refetchInterval: 5_000,
  });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<DeadLetter | null>(null);
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const rows = letters.data?.rows ?? [];
  const seqs = rows.flatMap(({ seq }) => (chosen.has(seq) ? [seq] : []));
  const areAll = rows.length > 0 && seqs.length === rows.length;
  const confirmReplay = (which: string[]) => {
    setOpened(null);
    setConfirmation(replay(which));
  };

  const columns: Column<DeadLetter>[] = [
    {
      id: "chosen",
      title: (
        <input
          type="checkbox"
          aria-label="Choose all rows of this page"
          checked={areAll}
          onChange={() => setChosen(new Set(areAll ? [] : rows.map(({ seq }) => seq)))}
        />
      ),
      cell: ({ seq }) => (
        <input
          type="checkbox"
          aria-label={`Choose row ${seq}`}
          checked={chosen.has(seq)}
          onChange={() => setChosen(toggle(chosen, seq))}
        />
      ),
    },
    ...letterColumns,
  ];

  return (
    <>
      <DataTable
        label="Dead letters"
        columns={columns}
        rowKey={({ seq }) => seq}
        query={letters}
        state={state}
        onOpen={setOpened}
        empty={{ title: "No dead letters", text: "Every row is delivered or still being retried." }}
        tools={
          <>
            <h2 className="grow px-1 font-medium">Dead letters</h2>
            <PermittedButton
              action="outbox.replay"
              className="btn btn-outline"
              disabledReason={seqs.length === 0 ? "Choose rows first." : undefined}
              onClick={() => confirmReplay(seqs)}
            >
              {seqs.length === 0 ? "Replay rows" : `Replay ${formatQuantity(seqs.length, "count")}`}
            </PermittedButton>
          </>
        }
      />
      <DeadLetterDrawer
        letter={opened}
        onClose={() => setOpened(null)}
        onReplay={seq => confirmReplay([seq])}
      />
      <ConfirmDialog confirmation={confirmation} onClose={() => setConfirmation(null)} />
    </>
  );
}

function toggle(chosen: ReadonlySet<string>, seq: string): Set<string> {
  const next = new Set(chosen);
  if (!next.delete(seq)) next.add(seq);
  return next;
}

const LARGE = 100;

function replay(seqs: string[]): Confirmation {
  const rows = seqs.length === 1 ? `row ${seqs[0]}` : `${seqs.length} rows`;
  return {
    title: `Replay ${rows}`,
    consequence: `Relays retry ${rows} from the first attempt. The filter ignores a name that it contains already.`,
    reach: seqs.length >= LARGE ? "large" : "small",
    verb: `Replay ${rows}`,
    run: reason => consoleApi.outbox.replay.mutate({ seqs, reason }),
    done: `${rows} back in the outbox`,
    refresh: ["outbox.deadLetters", "outbox.status"],
  };
}
