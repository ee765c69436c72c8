import { END, type OrderLog, START } from "../domain/orders/order-log";
import { PARTITIONS } from "../domain/orders/order-partition";
import type { OrderedOutput } from "./ordered-output";

/** Trims records that every partition has passed. Without the checkpoint of a partition nothing is trimmed. */
export async function trimPassed(log: OrderLog, output: OrderedOutput): Promise<Map<string, string>> {
  const checkpoints = await Promise.all(
    Array.from({ length: PARTITIONS }, (_, p) => output.readCheckpoint(p)),
  );
  const passed = new Map<string, string>();
  for (const shardId of await log.readableShards()) {
    const lowest = checkpoints
      .map(checkpoint => checkpoint.get(shardId) ?? START)
      .reduce((a, b) => earlier(log, a, b));
    if (lowest !== START) passed.set(shardId, lowest);
  }
  // Also without a record to trim: it completes a change of the shards that was interrupted.
  await log.trim(passed);
  return passed;
}

/** The position that comes first: START before everything, END after everything. */
export function earlier(log: OrderLog, a: string, b: string): string {
  if (a === END) return b;
  if (b === END) return a;
  if (a === START || b === START) return START;
  return log.isAfter(a, b) ? b : a;
}
