import { partitionOf } from "../../domain/orders/order-partition";
import { compareStamps, NO_STAMP } from "../../domain/orders/order-stamp";
import { unpackOrder } from "../../store/codec/order-payload";
import { decodeFrame } from "../../store/codec/ordered-frame";
import { orderedKey } from "../../store/order-keys";
import type { RedisClient } from "../../store/redis";
import { nowUs, percentiles } from "./clock";
import { QuietLimit } from "./disturbance";
import type { Job, Report } from "./job";

/** The engine's input: every order decoded, its place checked, its latency taken. */
export async function runAggregatedSink(job: Job, redis: RedisClient): Promise<Report> {
  const latencies = new Float64Array(job.orders);
  let last = NO_STAMP;
  const endUs = await readFrames(job, redis, (bytes, count) => {
    const frame = decodeFrame(bytes);
    const arrivedUs = nowUs() - job.baseUs;
    let index = 0;
    for (const payload of frame.payloads()) {
      const stamp = frame.stampAt(index);
      if (compareStamps(stamp, last) <= 0) throw new Error("an order came out of order");
      last = stamp;
      latencies[count + index] = (arrivedUs - unpackOrder(payload, job.symbol).price) / 1_000;
      index += 1;
    }
    return frame.count;
  });
  return { endUs, latenciesMs: percentiles(latencies) };
}

/** What comes out of the aggregator, not looked at. */
export async function runFrameSink(job: Job, redis: RedisClient): Promise<Report> {
  return { endUs: await readFrames(job, redis, bytes => bytes.readUInt32BE(1)) };
}

async function readFrames(
  job: Job,
  redis: RedisClient,
  take: (frame: Buffer, before: number) => number,
): Promise<number> {
  const key = orderedKey(job.log, partitionOf(job.symbol), job.symbol);
  let position = "0-0";
  let count = 0;
  const limit = new QuietLimit(job.quietMs, () => `${count} of ${job.orders} orders came`);
  while (count < job.orders) {
    limit.check();
    const reply = await redis.xreadBuffer("COUNT", 50, "STREAMS", key, position);
    if (!reply) {
      await new Promise(resolve => setTimeout(resolve, 2));
      continue;
    }
    limit.reset();
    for (const [id, fields] of reply[0]![1]) {
      position = id.toString();
      count += take(fields[1]!, count);
    }
  }
  return nowUs();
}
