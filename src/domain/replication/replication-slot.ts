import { formatWalSize } from "./wal-size";

/** A slot of the database's server, physical or logical, as pg_replication_slots shows it. */
export type ReplicationSlot = {
  name: string;
  /** A consumer is connected. */
  isActive: boolean;
  /** Null: it has reserved no WAL yet. */
  walStatus: "reserved" | "extended" | "unreserved" | "lost" | null;
  /** WAL that the server keeps for this slot, bytes; null where it keeps none. */
  heldBytes: number | null;
};

export type ReplicationSlots = {
  /** Those that hold most come first; at most SLOTS_LISTED. */
  slots: ReplicationSlot[];
  /** max_slot_wal_keep_size, bytes; null: no limit. */
  keepMaxBytes: number | null;
  /** From here on an inactive slot is a problem, bytes. */
  alertBytes: number;
};

/** Postgres has 10 at most, unless max_replication_slots says otherwise. */
export const SLOTS_LISTED = 50;

/** What is wrong with a slot; null: nothing. */
export type SlotTrouble = "lost" | "unreserved" | "unread" | null;

export function slotTrouble(slot: ReplicationSlot, alertBytes: number): SlotTrouble {
  if (slot.walStatus === "lost" || slot.walStatus === "unreserved") return slot.walStatus;
  return !slot.isActive && (slot.heldBytes ?? 0) > alertBytes ? "unread" : null;
}

/** The slot that comes first among those with a problem, what it means, and what to do; null without a problem. */
export function describeHeldWal(replication: ReplicationSlots | null): string | null {
  if (!replication) return null;
  const { slots, keepMaxBytes, alertBytes } = replication;
  const inTrouble = slots.filter(slot => slotTrouble(slot, alertBytes) !== null);
  const slot = inTrouble[0];
  if (!slot) return null;
  const more = inTrouble.length - 1;
  const others = more === 0 ? "" : ` ${more} more ${more === 1 ? "slot has" : "slots have"} such a problem.`;
  return `${TEXTS[slotTrouble(slot, alertBytes)!](slot, keepMaxBytes)}${others}`;
}

type Describe = (slot: ReplicationSlot, keepMaxBytes: number | null) => string;

const drop = ({ name }: ReplicationSlot) => `SELECT pg_drop_replication_slot('${name}')`;
const held = ({ heldBytes }: ReplicationSlot) => formatWalSize(heldBytes ?? 0);
const start = ({ isActive }: ReplicationSlot) =>
  isActive ? "Make its consumer faster" : "Start its consumer";

const TEXTS: Record<NonNullable<SlotTrouble>, Describe> = {
  unread(slot, keepMaxBytes) {
    const limit =
      keepMaxBytes === null
        ? "Postgres has no limit for it (max_slot_wal_keep_size is -1): the disk fills up."
        : `Postgres invalidates the slot at ${formatWalSize(keepMaxBytes)} (max_slot_wal_keep_size).`;
    return `Replication slot ${slot.name} has no consumer and holds ${held(slot)} of WAL. ${limit} Start its consumer, or drop it: ${drop(slot)}.`;
  },
  unreserved: slot =>
    `Replication slot ${slot.name} holds ${held(slot)} of WAL, more than Postgres keeps (max_slot_wal_keep_size): the next checkpoint may invalidate it. ${start(slot)}, or drop it: ${drop(slot)}.`,
  lost: slot =>
    `Replication slot ${slot.name} is invalidated and holds no WAL: its consumer can't go on. Drop it: ${drop(slot)}. Then set up its consumer again.`,
};
