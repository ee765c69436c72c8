import type { Registry } from "prom-client";
import { describeHeldWal, type ReplicationSlots } from "../domain/replication/replication-slot";
import { WAL_MB } from "../domain/replication/wal-size";
import { valueInTime } from "../runtime/health";
import type { Pool } from "../store/postgres";
import { readReplicationSlots } from "../store/replication-slots";
import { exposeHeldWal } from "../telemetry/expose-held-wal";
import type { ProcessParts } from "./process-parts";

const LOOK_EVERY_MS = 10_000;
const READ_MS = 2_000;
/** What was read before is not what is so now. */
const FRESH_MS = 3 * LOOK_EVERY_MS;

/** Looks at the replication slots from time to time, so that health costs nothing. */
export class ReplicationSlotWatch {
  private last: ReplicationSlots | null = null;
  private readAtMs = Number.NEGATIVE_INFINITY;
  private running: ReturnType<typeof readReplicationSlots> | null = null;

  constructor(
    private readonly pool: Pool,
    private readonly alertBytes: number,
  ) {}

  /** @throws when they could not be read in time: the last reading grows old */
  async look(): Promise<void> {
    // A database that hangs costs one connection, however often it is asked.
    this.running ??= readReplicationSlots(this.pool).finally(() => {
      this.running = null;
    });
    const read = await valueInTime(
      this.running.then(
        value => ({ value }),
        (error: unknown) => ({ error }),
      ),
      READ_MS,
    );
    if (read === null) throw new Error("The replication slots were not read in time");
    if ("error" in read) throw read.error;
    const { slots, keepMaxBytes } = read.value;
    this.last = { slots, keepMaxBytes, alertBytes: this.alertBytes };
    this.readAtMs = performance.now();
  }

  /** Null while they are unknown, such as for a role that may not see them. */
  get current(): ReplicationSlots | null {
    return performance.now() - this.readAtMs <= FRESH_MS ? this.last : null;
  }

  /** In words; null without a problem, and while nothing is known: an outage has its own alert. */
  get problem(): string | null {
    return describeHeldWal(this.current);
  }
}

/** Starts the watch and its metric. */
export function watchReplicationSlots(
  parts: ProcessParts,
  { maxMb, registry }: { maxMb: number; registry: Registry },
): ReplicationSlotWatch {
  const watch = new ReplicationSlotWatch(parts.pool, maxMb * WAL_MB);
  exposeHeldWal(registry, () => watch.current);
  const note = (err: unknown) => parts.log.debug({ err }, "replication slots not read");
  parts.loop({
    name: "replication slots",
    everyMs: LOOK_EVERY_MS,
    step: async () => {
      // Caught here: a missing right must not count as a database that refuses the process's work.
      await watch.look().catch(note);
      return "idle";
    },
    onError: note,
  });
  return watch;
}
