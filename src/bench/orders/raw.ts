import type { RedisClient } from "../../store/redis";
import { nowUs } from "./clock";
import { QuietLimit } from "./disturbance";
import { packedRecords } from "./feeder";
import type { Job, Report } from "./job";

const RECORDS_PER_CALL = 50;
const keyOf = (job: Job, shard: number) => `${job.log}:raw:${shard}`;

/** The same bytes into as many streams, as fast as Redis takes them. */
export async function runRawWriter(job: Job, redis: RedisClient): Promise<Report> {
  const records = packedRecords(job, { producer: 1, firstUs: Math.floor(nowUs()) });
  const startUs = nowUs();
  await Promise.all(
    Array.from({ length: job.shards }, async (_, shard) => {
      const mine = records.filter((_, i) => i % job.shards === shard);
      for (let from = 0; from < mine.length; from += RECORDS_PER_CALL)
        await Promise.all(
          mine
            .slice(from, from + RECORDS_PER_CALL)
            .map(data => redis.xadd(keyOf(job, shard), "*", "d", data)),
        );
    }),
  );
  return { startUs };
}

/** Reads them again, and does nothing with them. */
export async function runRawReader(job: Job, redis: RedisClient): Promise<Report> {
  const total = Math.ceil(job.orders / job.ordersPerRecord);
  const positions = Array.from({ length: job.shards }, () => "0-0");
  let count = 0;
  const limit = new QuietLimit(job.quietMs, () => `${count} of ${total} records came`);
  while (count < total) {
    limit.check();
    const before = count;
    await Promise.all(
      positions.map(async (position, shard) => {
        const reply = await redis.xreadBuffer("COUNT", 500, "STREAMS", keyOf(job, shard), position);
        const entries = reply?.[0]?.[1] ?? [];
        if (entries.length > 0) positions[shard] = entries.at(-1)![0].toString();
        count += entries.length;
      }),
    );
    if (count > before) limit.reset();
    else await new Promise(resolve => setTimeout(resolve, 1));
  }
  return { endUs: nowUs() };
}
