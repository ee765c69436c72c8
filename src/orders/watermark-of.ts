import type { Watermark } from "../store/producer-registry";
import type { ShardQueue } from "./shard-queue";

/**
 * What a producer can claim: all its orders up to `throughUs` (µs) are durable, except for the symbols
 * that still wait in a queue. Of a symbol in several queues the oldest order counts.
 */
export function watermarkOf(
  queues: Iterable<ShardQueue>,
  { throughUs, mapVersion }: { throughUs: number; mapVersion: number },
): Watermark {
  const except: Watermark["except"] = {};
  for (const queue of queues)
    queue.forEachPending(({ symbol, firstUs }) => {
      const known = except[symbol];
      if (known && known.throughUs < firstUs) return;
      except[symbol] = { throughUs: firstUs - 1, shardId: queue.shardId };
    });
  return { throughUs, mapVersion, except };
}
