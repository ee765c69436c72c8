import { Registry } from "prom-client";
import { expect, it } from "vitest";
import type { ReplicationSlots } from "../domain/replication/replication-slot";
import { exposeHeldWal } from "./expose-held-wal";

const slotsOf = (count: number): ReplicationSlots => ({
  slots: Array.from({ length: count }, (_, at) => ({
    name: `s${at}`,
    isActive: false,
    walStatus: "reserved",
    heldBytes: 1_000 - at,
  })),
  keepMaxBytes: null,
  alertBytes: 0,
});

it("has a series for each of 20 slots, one for the others, and none while they are unknown", async () => {
  const registry = new Registry();
  let current: ReplicationSlots | null = null;
  exposeHeldWal(registry, () => current);
  const series = async () =>
    Object.fromEntries(
      (await registry.getSingleMetric("replication_slot_wal_held_bytes")!.get()).values.map(value => [
        value.labels.slot,
        value.value,
      ]),
    );
  expect(await series()).toEqual({});
  current = slotsOf(2);
  expect(await series()).toEqual({ s0: 1_000, s1: 999 });
  current = slotsOf(30);
  const many = await series();
  expect(Object.keys(many)).toHaveLength(21);
  expect(many.other).toBe(9_755);
  current = slotsOf(1);
  expect(await series()).toEqual({ s0: 1_000 });
});
