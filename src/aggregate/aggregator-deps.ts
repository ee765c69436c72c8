import type { OrderLog } from "../domain/orders/order-log";
import type { Leases } from "../store/partition-leases";
import type { DeadLetterReason, DeadLetterStream } from "./dead-letter-stream";
import type { OrderedOutput } from "./ordered-output";

export type AggregatorDeps = {
  log: OrderLog;
  output: OrderedOutput;
  deadLetters: DeadLetterStream;
  /** The partitions to work on, with their epochs. */
  leases: Leases;
  /** Microseconds since 1970. */
  nowUs: () => number;
  settings: AggregatorSettings;
  knowsSymbol?: (symbol: string) => boolean;
  onReshard?: () => void;
  on?: Partial<AggregatorEvents>;
};

export type AggregatorSettings = {
  /** Records read from a shard at once. */
  readLimit: number;
  /** Past so many buffered orders only the slowest shards are read. */
  maxBufferedEvents: number;
  /** Past so many orders that the engine has not passed, producers are asked to pause the symbol. */
  maxBehind: number;
};

export type AggregatorEvents = {
  released(symbol: string, count: number, oldestUs: number): void;
  duplicates(count: number): void;
  deadLetters(reason: DeadLetterReason, count: number): void;
  unregistered(): void;
  /** Of the oldest order of each write; a part that its log or its clock cannot measure is left out. */
  timed(parts: LagParts): void;
};

/** Where an order's time went, milliseconds: stamp to log, in the shard, in the reorder buffer. */
export type LagParts = { ingestMs?: number; shardMs?: number; bufferMs: number };
