"use client";

import {
  type ReplicationSlots as Replication,
  type ReplicationSlot,
  type SlotTrouble,
  slotTrouble,
} from "../../../domain/replication/replication-slot";
import { formatWalSize } from "../../../domain/replication/wal-size";
import { useLive } from "../live/live-provider";
import type { Column } from "../parts/data-table";
import { SimpleTable } from "../parts/simple-table";
import { type State, StateBadge } from "../parts/state-badge";

/** The replication slots of the database's server; nothing without a slot. */
export function ReplicationSlots() {
  const { live, source } = useLive();
  const replication = source === "lost" ? null : (live?.outbox?.replication ?? null);
  if (!replication || replication.slots.length === 0) return null;
  const { slots, keepMaxBytes } = replication;
  return (
    <section className="panel mb-3 overflow-hidden" aria-label="Replication slots">
      <div className="panel-head">
        <h2>Replication slots</h2>
        <p className="text-soft">
          {keepMaxBytes === null
            ? "Postgres keeps WAL for a slot without a limit"
            : `Postgres keeps at most ${formatWalSize(keepMaxBytes)} of WAL for a slot`}
        </p>
      </div>
      <SimpleTable
        label="Replication slots"
        columns={columnsOf(replication)}
        rows={slots}
        rowKey={({ name }) => name}
      />
    </section>
  );
}

function columnsOf({ keepMaxBytes, alertBytes }: Replication): Column<ReplicationSlot>[] {
  return [
    { id: "name", title: "Slot", cell: ({ name }) => <span className="code">{name}</span> },
    { id: "state", title: "State", cell: slot => <SlotState slot={slot} alertBytes={alertBytes} /> },
    {
      id: "held",
      title: "WAL held",
      number: true,
      cell: ({ heldBytes }) => (heldBytes === null ? "–" : formatWalSize(heldBytes)),
    },
    {
      id: "limit",
      title: "Limit",
      number: true,
      // The head of the panel has it, too.
      wideOnly: true,
      cell: () => (keepMaxBytes === null ? "none" : formatWalSize(keepMaxBytes)),
    },
  ];
}

const TROUBLES: Record<NonNullable<SlotTrouble>, { state: State; title: string }> = {
  unread: { state: "warning", title: "No consumer is connected, and the WAL of the slot grows" },
  unreserved: { state: "warning", title: "The next checkpoint may invalidate the slot" },
  lost: { state: "critical", title: "The slot is invalidated: its consumer can't go on" },
};

function SlotState({ slot, alertBytes }: { slot: ReplicationSlot; alertBytes: number }) {
  const trouble = slotTrouble(slot, alertBytes);
  const activity = slot.isActive ? "active" : "inactive";
  if (trouble === null) return <StateBadge state="ok" word={activity} />;
  const { state, title } = TROUBLES[trouble];
  return <StateBadge state={state} title={title} word={trouble === "unread" ? activity : trouble} />;
}
