import { Gauge, type Registry } from "prom-client";
import type { ReplicationSlots } from "../domain/replication/replication-slot";
import { OTHER } from "./instruments";

/** Slots with a series of their own; the others share one. */
const MAX_SLOTS = 20;

/** The WAL that each replication slot holds, as it was read last; no series while that is unknown. */
export function exposeHeldWal(registry: Registry, read: () => ReplicationSlots | null): void {
  new Gauge({
    name: "replication_slot_wal_held_bytes",
    help: `WAL that the server keeps for a replication slot; from slot ${MAX_SLOTS + 1} on the sum, as "${OTHER}".`,
    labelNames: ["slot"],
    registers: [registry],
    collect() {
      this.reset();
      read()?.slots.forEach(({ name, heldBytes }, at) => {
        this.inc({ slot: at < MAX_SLOTS ? name : OTHER }, heldBytes ?? 0);
      });
    },
  });
}
