import { partitionOf } from "../domain/orders/order-partition";
import type { Stamp } from "../domain/orders/order-stamp";
import { unpackOrder } from "../store/codec/order-payload";
import { decodeFrame } from "../store/codec/ordered-frame";
import { orderedKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";

/** Everything in a symbol's ordered stream, which no engine may have trimmed. */
export async function readOrdered(
  redis: RedisClient,
  log: string,
  symbol: string,
): Promise<{ orderId: string; stamp: Stamp }[]> {
  const entries = await redis.xrangeBuffer(orderedKey(log, partitionOf(symbol), symbol), "-", "+");
  return entries.flatMap(([, fields]) => {
    const frame = decodeFrame(fields[1]!);
    return [...frame.payloads()].map((payload, i) => ({
      orderId: unpackOrder(payload, symbol).orderId,
      stamp: frame.stampAt(i),
    }));
  });
}
