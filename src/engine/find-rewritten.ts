import { partitionOf } from "../domain/orders/order-partition";
import { formatStamp } from "../domain/orders/order-stamp";
import { decodeFrame } from "../store/codec/ordered-frame";
import { headKey, orderedKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";

type Matched = { symbol: string; position: number; lastStamp: string | null };

/**
 * Whether a symbol's ordered stream is still the one that was matched. A Redis that lost its newest data, by
 * a restore or a failover, assigns positions that were matched already to other orders.
 * Resolves to what is wrong, or null.
 */
export async function findRewritten(
  redis: RedisClient,
  log: string,
  { symbol, position, lastStamp }: Matched,
): Promise<string | null> {
  if (position === 0 || lastStamp === null) return null;
  const partition = partitionOf(symbol);
  const fields = await redis.hmget(headKey(log, partition, symbol), "position", "passed", "last");
  const [head, passed] = [Number(fields[0] ?? 0), Number(fields[1] ?? 0)];
  if (head < position) return problemOf(symbol, `${position} orders are matched, but Redis knows of ${head}`);
  const written =
    head === position ? fields[2] : await stampAt(redis, orderedKey(log, partition, symbol), position);
  // Only passed orders are trimmed, and the passed position is not older than the snapshot.
  if (written === lastStamp || (written === null && passed >= position)) return null;
  return problemOf(symbol, `position ${position} is another order in Redis than the one that was matched`);
}

/** The stamp of the order at which a frame ends. */
async function stampAt(redis: RedisClient, key: string, position: number): Promise<string | null> {
  const [entry] = await redis.xrangeBuffer(key, `${position}-0`, `${position}-0`);
  if (!entry) return null;
  const frame = decodeFrame(entry[1][1]!);
  return formatStamp(frame.stampAt(frame.count - 1));
}

function problemOf(symbol: string, what: string): string {
  return (
    `${symbol}: ${what}. Redis came back older than the engine's state. Restore it from its newest append-only ` +
    "file, or let the symbol continue from the engine's state (page Engine)."
  );
}
