import { partitionOf } from "../../domain/orders/order-partition";
import { readOrder } from "../../store/codec/order-payload";
import { decodeFrame } from "../../store/codec/ordered-frame";
import { orderedKey } from "../../store/order-keys";
import type { RedisClient } from "../../store/redis";
import { type FoundOrder, isOf, type OrderId, showStamp } from "./order-id";
import { SearchBounds } from "./search-bounds";

/** An order in the ordered stream that its engine has not stored. */
export type OrderedPlace = FoundOrder & { position: number; orderedAt: string | null };
export type OrderedSearch = { orders: OrderedPlace[]; isComplete: boolean };

/** A symbol whose engine has stored the orders up to `position`. */
export type UnreadSymbol = { symbol: string; position: number };

const FRAMES_PER_READ = 20;
const MAX_ORDERS = 200_000;

/** Looks for an order in what engines have not matched yet. @throws when Redis does not answer */
export async function searchOrdered(
  { redis, log }: { redis: RedisClient; log: string },
  symbols: readonly UnreadSymbol[],
  id: OrderId,
): Promise<OrderedSearch> {
  const bounds = new SearchBounds(MAX_ORDERS);
  const orders: OrderedPlace[] = [];
  for (const { symbol, position } of symbols) {
    const key = orderedKey(log, partitionOf(symbol), symbol);
    for (let from = position + 1; ; ) {
      const entries = await redis.xrangeBuffer(key, `${from}-0`, "+", "COUNT", FRAMES_PER_READ);
      let count = 0;
      for (const [, [, bytes, , writtenMs]] of entries as [Buffer, Buffer[]][]) {
        const frame = decodeFrame(bytes!);
        count += frame.count;
        from = frame.firstPosition + frame.count;
        const orderedAt = writtenMs ? new Date(Number(writtenMs.toString("latin1"))).toISOString() : null;
        if (bytes!.includes(id.orderId, 0, "latin1"))
          orders.push(...findInFrame(symbol, frame, id).map(found => ({ ...found, orderedAt })));
      }
      if (!bounds.take(count)) return { orders, isComplete: false };
      if (entries.length < FRAMES_PER_READ) break;
    }
  }
  return { orders, isComplete: true };
}

function findInFrame(
  symbol: string,
  frame: ReturnType<typeof decodeFrame>,
  id: OrderId,
): Omit<OrderedPlace, "orderedAt">[] {
  const found: Omit<OrderedPlace, "orderedAt">[] = [];
  let index = 0;
  for (const payload of frame.payloads()) {
    const order = readOrder(payload, symbol);
    if (isOf(order, id))
      found.push({
        kind: order.kind,
        symbol,
        stamp: showStamp(frame.stampAt(index)),
        position: frame.firstPosition + index,
      });
    index += 1;
  }
  return found;
}
