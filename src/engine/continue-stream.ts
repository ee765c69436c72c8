import { randomUUID } from "node:crypto";
import { partitionOf } from "../domain/orders/order-partition";
import { compareStamps, formatStamp, type Stamp } from "../domain/orders/order-stamp";
import { decodeFrame, moveFrame, type OrderedFrame } from "../store/codec/ordered-frame";
import { headKey, orderedKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";

type Where = { redis: RedisClient; log: string; symbol: string };
/** What the engine has stored: the position and the stamp of the last order. */
type Stored = { position: number; last: Stamp };
type OldOrder = { stamp: Stamp; payload: Buffer };

/** What a symbol's ordered stream becomes when the engine continues from its own state. */
export type ContinuedStream = {
  /** Newer than what was matched: they follow the engine's position. */
  frames: { lastPosition: number; bytes: Buffer; writtenMs: Buffer }[];
  count: number;
  last: Stamp;
  /** Not newer: they were matched before, or came late. */
  old: OldOrder[];
  /** The head's position when the stream was read. */
  readAt: number;
};

const FRAMES_PER_READ = 200;
const BATCH = 100;
/** A stream that never took the place of the other one is gone after that. */
const ABANDONED_MS = 60_000;

/** Reads all of the stream, which the aggregator bounds (ORDER_MAX_UNREAD). Changes nothing. */
export async function planContinuedStream(
  where: Where,
  { position, last }: Stored,
): Promise<ContinuedStream> {
  const { redis } = where;
  const { stream, head } = keysOf(where);
  const readAt = Number((await redis.hget(head, "position")) ?? 0);
  const plan: ContinuedStream = { frames: [], count: 0, last, old: [], readAt };
  for (let from = "-"; ; ) {
    const entries = await redis.xrangeBuffer(stream, from, "+", "COUNT", FRAMES_PER_READ);
    for (const [id, [, bytes, , writtenMs]] of entries) {
      from = `(${id.toString()}`;
      const frame = decodeFrame(bytes!);
      const first = firstNewer(frame, plan.last);
      plan.old.push(...ordersUpTo(frame, first));
      if (first === frame.count) continue;
      const moved = moveFrame(bytes!, first, position + plan.count + 1);
      plan.count += frame.count - first;
      plan.last = frame.stampAt(frame.count - 1);
      plan.frames.push({ lastPosition: position + plan.count, bytes: moved, writtenMs: writtenMs! });
    }
    if (entries.length < FRAMES_PER_READ) return plan;
  }
}

/** False: the aggregator has written since the plan was made, and nothing is changed. */
export async function putContinuedStream(
  where: Where,
  { position }: Stored,
  plan: ContinuedStream,
): Promise<boolean> {
  const { redis } = where;
  const { stream, head } = keysOf(where);
  const next = `${stream}:${randomUUID()}`;
  for (let from = 0; from < plan.frames.length; from += BATCH) {
    const added = plan.frames
      .slice(from, from + BATCH)
      .map(({ lastPosition, bytes, writtenMs }) =>
        redis.write(next, "XADD", `${lastPosition}-0`, "d", bytes, "t", writtenMs),
      );
    await Promise.all(added.concat(redis.write(next, "PEXPIRE", ABANDONED_MS)));
  }
  const end = position + plan.count;
  const args = [plan.readAt, end, formatStamp(plan.last), position];
  return (await redis.outputContinue(stream, head, next, ...args)) === 1;
}

/** The index of the first order with a stamp above this one; stamps of a frame rise. */
function firstNewer(frame: OrderedFrame, last: Stamp): number {
  let index = 0;
  while (index < frame.count && compareStamps(frame.stampAt(index), last) <= 0) index += 1;
  return index;
}

function ordersUpTo(frame: OrderedFrame, end: number): OldOrder[] {
  const orders: OldOrder[] = [];
  for (const payload of frame.payloads()) {
    if (orders.length === end) break;
    orders.push({ stamp: frame.stampAt(orders.length), payload: Buffer.from(payload) });
  }
  return orders;
}

function keysOf({ log, symbol }: Where) {
  const partition = partitionOf(symbol);
  return { stream: orderedKey(log, partition, symbol), head: headKey(log, partition, symbol) };
}
