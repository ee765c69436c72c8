import { type OrderLog, START } from "../domain/orders/order-log";
import type { Leases } from "../store/partition-leases";
import type { Checkpoint, OrderedOutput } from "./ordered-output";
import { earlier } from "./trim-passed";

type Where = { output: OrderedOutput; leases: Leases; log: OrderLog };

/** Of each shard the earliest position of all partitions; the heads mark orders that were written since. */
export async function lowestCheckpoint({ output, leases, log }: Where): Promise<Checkpoint> {
  const all = await Promise.all([...leases.keys()].map(partition => output.readCheckpoint(partition)));
  const lowest: Checkpoint = new Map();
  for (const shardId of new Set(all.flatMap(checkpoint => [...checkpoint.keys()]))) {
    const positions = all.map(checkpoint => checkpoint.get(shardId) ?? START);
    lowest.set(
      shardId,
      positions.reduce((x, y) => earlier(log, x, y)),
    );
  }
  return lowest;
}
