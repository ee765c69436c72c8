import type { RedisClient } from "../../store/redis";
import { nowUs, pace, percentiles } from "./clock";
import { QuietLimit } from "./disturbance";
import type { Job, Report } from "./job";
import { anOrder } from "./packed-producer";

/** The article's window. */
const WINDOW_MS = 200;
/** XADDs on their way at once. */
const IN_FLIGHT = 2_000;

const keyOf = (job: Job, slot: number) => `${job.log}:plain:${job.symbol}-${slot + 1}`;

/** One XADD per order, on a random sub-key: DOGE-1 to DOGE-N. */
export async function runPlainProducer(job: Job, redis: RedisClient): Promise<Report> {
  const all = Array.from({ length: job.orders }, (_, serial) => anOrder(job.symbol, serial, 1));
  const startUs = nowUs();
  let sending: Promise<unknown>[] = [];
  await pace(job, job.rate > 0 ? job.rate / 1_000 : 500, async (from, count) => {
    const eventUs = Math.max(1, Math.floor(nowUs() - job.baseUs));
    for (let i = 0; i < count; i += 1) {
      const order = { ...all[from + i]!, eventUs, sequence: from + i };
      const slot = Math.floor(Math.random() * job.shards);
      sending.push(redis.xadd(keyOf(job, slot), "*", "d", JSON.stringify(order)));
    }
    if (sending.length < IN_FLIGHT) return;
    await Promise.all(sending);
    sending = [];
  });
  await Promise.all(sending);
  return { startUs };
}

type Event = { eventUs: number; sequence: number };

/** Buffers what it reads, and every window sorts what is old enough by event time. */
export async function runPlainConsumer(job: Job, redis: RedisClient): Promise<Report> {
  const keys = Array.from({ length: job.shards }, (_, slot) => keyOf(job, slot));
  const positions = keys.map(() => "0-0");
  const latencies = new Float64Array(job.orders);
  let buffer: Event[] = [];
  let count = 0;
  const limit = new QuietLimit(job.quietMs, () => `${count} of ${job.orders} orders came`);
  while (count < job.orders) {
    limit.check();
    const reply = await redis.xread("COUNT", 1_000, "STREAMS", ...keys, ...positions);
    if (reply) limit.reset();
    for (const [key, entries] of reply ?? []) {
      positions[keys.indexOf(key)] = entries.at(-1)![0];
      for (const [, fields] of entries) buffer.push(JSON.parse(fields[1]!) as Event);
    }
    const throughUs = nowUs() - job.baseUs - WINDOW_MS * 1_000;
    const ready = buffer.filter(({ eventUs }) => eventUs <= throughUs);
    if (ready.length > 0) {
      buffer = buffer.filter(({ eventUs }) => eventUs > throughUs);
      ready.sort((a, b) => a.eventUs - b.eventUs || a.sequence - b.sequence);
      const arrivedUs = nowUs() - job.baseUs;
      for (const { eventUs } of ready) {
        latencies[count] = (arrivedUs - eventUs) / 1_000;
        count += 1;
      }
    }
    if (!reply) await new Promise(resolve => setTimeout(resolve, 2));
  }
  return { endUs: nowUs(), latenciesMs: percentiles(latencies) };
}
