import { describe, expect, it } from "vitest";
import { describeHeldWal, type ReplicationSlot, slotTrouble } from "./replication-slot";
import { WAL_MB } from "./wal-size";

const ALERT = 512 * WAL_MB;
const aSlot = (change: Partial<ReplicationSlot> = {}): ReplicationSlot => ({
  name: "debezium",
  isActive: false,
  walStatus: "reserved",
  heldBytes: 700 * WAL_MB,
  ...change,
});
const textOf = (slots: ReplicationSlot[], keepMaxBytes: number | null = 1_024 * WAL_MB) =>
  describeHeldWal({ slots, keepMaxBytes, alertBytes: ALERT });

describe("the trouble of a slot", () => {
  it.each([
    ["an inactive slot above the bound", {}, "unread"],
    ["an inactive slot at the bound", { heldBytes: ALERT }, null],
    ["an inactive slot that holds WAL of more than one size", { walStatus: "extended" as const }, "unread"],
    ["an active slot above the bound", { isActive: true }, null],
    ["a slot that has reserved nothing", { walStatus: null, heldBytes: null }, null],
    ["an active slot that may lose WAL", { isActive: true, walStatus: "unreserved" as const }, "unreserved"],
    ["an invalidated slot", { walStatus: "lost" as const, heldBytes: null }, "lost"],
  ])("%s", (_, change, trouble) => expect(slotTrouble(aSlot(change), ALERT)).toBe(trouble));
});

describe("the text", () => {
  it("is null without slots, without a problem, and while nothing is known", () => {
    expect(describeHeldWal(null)).toBeNull();
    expect(textOf([])).toBeNull();
    expect(textOf([aSlot({ isActive: true })])).toBeNull();
  });

  it("names the slot, its WAL, the limit, and what to do", () => {
    expect(textOf([aSlot()])).toBe(
      "Replication slot debezium has no consumer and holds 700 MB of WAL. Postgres invalidates the slot at 1 GB " +
        "(max_slot_wal_keep_size). Start its consumer, or drop it: SELECT pg_drop_replication_slot('debezium').",
    );
  });

  it("says that there is no limit", () => {
    expect(textOf([aSlot()], null)).toContain(
      "has no limit for it (max_slot_wal_keep_size is -1): the disk fills up.",
    );
  });

  it("tells an invalidated slot from one that will be", () => {
    const unreserved = aSlot({ walStatus: "unreserved", heldBytes: 1_100 * WAL_MB });
    expect(textOf([unreserved])).toContain("holds 1.1 GB of WAL, more than Postgres keeps");
    expect(textOf([unreserved])).toContain("Start its consumer, or drop it:");
    expect(textOf([{ ...unreserved, isActive: true }])).toContain("Make its consumer faster, or drop it:");
    const lost = textOf([aSlot({ walStatus: "lost", heldBytes: null })]);
    expect(lost).toContain("is invalidated and holds no WAL: its consumer can't go on. Drop it:");
  });

  it("counts the other slots with a problem", () => {
    const other = aSlot({ name: "b" });
    expect(textOf([aSlot(), other, aSlot({ isActive: true })])).toMatch(
      /\. 1 more slot has such a problem\.$/,
    );
    expect(textOf([aSlot(), other, other])).toMatch(/\. 2 more slots have such a problem\.$/);
  });
});
