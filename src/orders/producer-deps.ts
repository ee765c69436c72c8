import type { ShardMap } from "../domain/orders/hash-range";
import type { AppendResult, OrderLog } from "../domain/orders/order-log";
import type { SubKey } from "../domain/orders/split-placement";
import type { ProducerRegistry } from "../store/producer-registry";
import type { PendingRecord } from "./pending-record";
import type { RecordLimits } from "./shard-queue";
import type { SharedClock } from "./shared-clock";

export type ProducerSettings = RecordLimits & {
  /** Most orders in memory. */
  maxBuffered: number;
  /** Base and cap of the wait after a limit was met or a call failed, milliseconds. */
  backoffMs: number;
  maxBackoffMs: number;
  /** A producer that has not published for this time may be evicted, milliseconds. */
  silenceMs: number;
  /** Orders that are restamped between two calls of the registry. It must take less than `silenceMs`. */
  restampedAtOnce: number;
};

export type ProducerDeps = {
  log: OrderLog;
  registry: ProducerRegistry;
  clock: SharedClock;
  /** The sub-key that an order takes under the symbol's plan. */
  route: (symbol: string, accountId: string, map: ShardMap) => SubKey;
  /** Whether the symbol's present plan has this sub-key. */
  isPlaced: (symbol: string, partitionKey: string, map: ShardMap) => boolean;
  settings: ProducerSettings;
  random?: () => number;
  /** Called for each queue that has orders to send. */
  onWork?: (shardId: string) => void;
  onAppend?: (shardId: string, result: AppendResult, records: readonly PendingRecord[]) => void;
};

/** `idle`: nothing to send. `again`: there is more to send. `wait`: try again after `ms`. */
export type ShardQueueStep = { next: "idle" | "again" } | { next: "wait"; ms: number };
