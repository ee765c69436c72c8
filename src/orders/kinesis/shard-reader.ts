import type { ReadRecord } from "../../domain/orders/order-log";

/** Reads one shard in order, ahead of its caller. */
export interface ShardReader {
  /**
   * Returns the records that have arrived, at most `limit`, and requests more. Does not wait.
   * @throws OrderLogSetupError
   */
  take(limit: number): ReadRecord[];
  close(): void;
}

/** Reports a problem that will be retried: a stable phrase, and its fields for the log. */
export type OnProblem = (phrase: string, fields: ProblemFields) => void;
export type ProblemFields = { shardId?: string; err?: unknown; [name: string]: unknown };
