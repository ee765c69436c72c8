import { type OrderLog, START } from "../../domain/orders/order-log";
import { partitionOf } from "../../domain/orders/order-partition";
import { compareStamps, parseStamp } from "../../domain/orders/order-stamp";
import { decodeRecord } from "../../store/codec/order-record";
import { headKey } from "../../store/order-keys";
import type { RedisClient } from "../../store/redis";
import { type FoundOrder, findInRun, type OrderId } from "./order-id";
import { SearchBounds } from "./search-bounds";

/** An order in a record of the log. */
export type LoggedOrder = FoundOrder & {
  shardId: string;
  /** The record's position in the shard. */
  record: string;
  /** The symbol's ordered stream is behind its stamp: the aggregator has passed it on, or made it a dead letter. */
  isRead: boolean;
  /** When the log took it. */
  writtenAt: string | null;
};
type Deps = { orderLog: OrderLog; redis: RedisClient; log: string };
export type LogSearch = { orders: LoggedOrder[]; isComplete: boolean };

const RECORDS_PER_READ = 200;
const MAX_RECORDS = 50_000;

/** Looks for an order in what the log still has, from each shard's oldest record on. @throws when it does not answer */
export async function searchLog({ orderLog, redis, log }: Deps, id: OrderId): Promise<LogSearch> {
  const bounds = new SearchBounds(MAX_RECORDS);
  const after = new Map((await orderLog.readableShards()).map(shardId => [shardId, START]));
  const found: Logged[] = [];
  while (after.size > 0) {
    let count = 0;
    for (const { shardId, records } of await orderLog.read(after, RECORDS_PER_READ)) {
      count += records.length;
      for (const { position, data } of records)
        found.push(...findInRecord(data, id, place(orderLog, shardId, position)));
      if (records.length < RECORDS_PER_READ) after.delete(shardId);
      else after.set(shardId, records.at(-1)!.position);
    }
    if (!bounds.take(count)) break;
  }
  const orders: LoggedOrder[] = [];
  for (const order of found) orders.push({ ...order, isRead: await isRead({ redis, log }, order) });
  return { orders, isComplete: after.size === 0 };
}

async function isRead(
  { redis, log }: Omit<Deps, "orderLog">,
  { symbol, stamp }: FoundOrder,
): Promise<boolean> {
  const last = await redis.hget(headKey(log, partitionOf(symbol), symbol), "last");
  return compareStamps(stamp, parseStamp(last)) <= 0;
}

type Place = Pick<LoggedOrder, "shardId" | "record" | "writtenAt">;
type Logged = FoundOrder & Place;

function place(log: OrderLog, shardId: string, record: string): Place {
  const writtenMs = log.writtenMs?.(record);
  return { shardId, record, writtenAt: writtenMs === undefined ? null : new Date(writtenMs).toISOString() };
}

/** A record that can't be read is a dead letter's business. */
function findInRecord(data: Buffer, id: OrderId, where: Place): Logged[] {
  try {
    const record = decodeRecord(data);
    return record.kind === "orders" ? findInRun(record.run, id).map(found => ({ ...found, ...where })) : [];
  } catch {
    return [];
  }
}
