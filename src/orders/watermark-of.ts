import type { Watermark } from "../store/producer-registry";
import type { Lane } from "./shard-queue";

/**
 * What a producer can claim: all its orders up to `throughUs` (µs) are durable, except for the symbols
 * that still wait in a lane. Of a symbol in several lanes the oldest order counts.
 */
export function watermarkOf(
  lanes: Iterable<Lane>,
  { throughUs, mapVersion }: { throughUs: number; mapVersion: number },
): Watermark {
  const except: Watermark["except"] = {};
  for (const lane of lanes)
    lane.forEachPending(({ symbol, firstUs }) => {
      const known = except[symbol];
      if (known && known.throughUs < firstUs) return;
      except[symbol] = { throughUs: firstUs - 1, shardId: lane.shardId };
    });
  return { throughUs, mapVersion, except };
}
