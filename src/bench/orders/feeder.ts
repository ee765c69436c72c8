import { AccountRoutes } from "../../orders/account-routes";
import { PendingRecord } from "../../orders/pending-record";
import { Receipt } from "../../orders/receipt";
import { NO_LIMITS, RedisLog } from "../../orders/redis-log";
import { RedisProducerRegistry } from "../../store/producer-registry";
import type { RedisClient } from "../../store/redis";
import { nowUs } from "./clock";
import { Disturbance } from "./disturbance";
import type { Job, Report } from "./job";
import { anOrder } from "./packed-producer";

const RECORDS_PER_CALL = 50;

/** The records of a run, packed beforehand; record i goes to shard i modulo shards. */
export function packedRecords(
  job: Job,
  { producer, firstUs }: { producer: number; firstUs: number },
): Buffer[] {
  const records: Buffer[] = [];
  const receipt = new Receipt(job.orders);
  const routes = new AccountRoutes();
  const subKey = { partitionKey: job.symbol, shardId: "", suffix: null };
  for (let serial = 0; serial < job.orders; serial += job.ordersPerRecord) {
    const record = new PendingRecord(job.symbol, job.symbol, producer);
    const end = Math.min(job.orders, serial + job.ordersPerRecord);
    for (let i = serial; i < end; i += 1) {
      const order = anOrder(job.symbol, i, 1);
      const route = routes.routeFor(job.symbol, order.accountId, () => subKey);
      record.add(order, route, { timeUs: firstUs + i, sequence: i + 1, receipt });
    }
    records.push(record.encode());
  }
  return records;
}

/**
 * Brings packed records into the log as fast as it takes them, and tells how far it is. The stamps are in
 * the packed bytes, so a feeder that is fenced can't go on: it ends with a Disturbance.
 */
export async function runFeeder(job: Job, redis: RedisClient): Promise<Report> {
  const log = new RedisLog(redis, { log: job.log, limits: NO_LIMITS });
  const registry = new RedisProducerRegistry(redis, job.log);
  const { version, open } = await log.readMap();
  // Packed before it joins, since a producer that packs for seconds would be silent for too long.
  const firstUs = Math.floor(nowUs()) + 60_000_000;
  const records = packedRecords(job, { producer: 1, firstUs });
  const joined = await registry.join(version);
  const { producer } = joined;
  if (producer !== 1) throw new Error(`the records are packed for producer 1, and this is ${producer}`);
  const durable = open.map(() => 0);
  const publish = (throughUs: number) =>
    registry.publish(joined, { throughUs, mapVersion: version, except: {} });
  const throughUs = () => {
    const next = Math.min(...durable.map((count, shard) => count * job.shards + shard)) * job.ordersPerRecord;
    return firstUs + next - 1;
  };
  // A publication that fails is repeated by the next one; the appends notice a Redis that is gone.
  const emitting = setInterval(() => void publish(throughUs()).catch(() => {}), 10);
  const startUs = nowUs();
  try {
    await Promise.all(
      open.map(({ id }, shard) => {
        const mine = records.filter((_, i) => i % job.shards === shard);
        return appendAll(log, { job, shardId: id, producer, records: mine }, count => {
          durable[shard] = count;
        });
      }),
    );
  } finally {
    clearInterval(emitting);
  }
  if (!(await publish(firstUs + job.orders)).joined) throw fenced("after its last record");
  await registry.leave(joined);
  return { startUs };
}

type Appending = { job: Job; shardId: string; producer: number; records: readonly Buffer[] };

async function appendAll(
  log: RedisLog,
  { job, shardId, producer, records }: Appending,
  onDurable: (count: number) => void,
): Promise<void> {
  for (let from = 0; from < records.length; from += RECORDS_PER_CALL) {
    const call = records
      .slice(from, from + RECORDS_PER_CALL)
      .map(data => ({ partitionKey: job.symbol, data }));
    const { outcome } = await log.append({ shardId, producer, firstNumber: from + 1, records: call });
    if (outcome !== "ok") throw fenced(`after ${from} of ${records.length} records of shard ${shardId}`);
    onDurable(from + call.length);
  }
}

function fenced(when: string): Disturbance {
  return new Disturbance(`the feeder was fenced ${when}: it was silent for too long`);
}
