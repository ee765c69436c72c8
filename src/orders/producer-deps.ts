import type { ShardMap } from "../domain/orders/hash-range";
import type { AppendResult, OrderLog } from "../domain/orders/order-log";
import type { SubKey } from "../domain/orders/split-placement";
import type { ProducerRegistry } from "../store/producer-registry";
import type { PendingRecord } from "./pending-record";
import type { RecordLimits } from "./shard-queue";
import type { SharedClock } from "./shared-clock";

export type ProducerSettings = RecordLimits & {
  /** Orders that may wait in memory. */
  maxBuffered: number;
  /** Base and cap of the wait after a limit was met or a call failed, milliseconds. */
  backoffMs: number;
  maxBackoffMs: number;
  /** A producer that says nothing for so long may be left out, milliseconds. */
  silenceMs: number;
  /** Orders that are stamped anew between two words to the registry, which must not take longer than silence may. */
  stampedAtOnce: number;
};

export type ProducerDeps = {
  log: OrderLog;
  registry: ProducerRegistry;
  clock: SharedClock;
  /** The sub-key that an order takes under the symbol's plan. */
  route: (symbol: string, accountId: string, map: ShardMap) => SubKey;
  /** Whether a sub-key is one of the symbol's under its plan of now. */
  isPlaced: (symbol: string, partitionKey: string, map: ShardMap) => boolean;
  settings: ProducerSettings;
  random?: () => number;
  /** Called for each queue that has something to send. */
  onWork?: (shardId: string) => void;
  onAppend?: (shardId: string, result: AppendResult, records: readonly PendingRecord[]) => void;
};

/** `idle`: nothing to send. `again`: more waits. `wait`: try again after so long. */
export type ShardQueueStep = { next: "idle" | "again" } | { next: "wait"; ms: number };
