import { aggregatorsKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";

/** The status of one aggregator, written once a second. */
export type AggregatorLine = {
  /** When the owner wrote it, milliseconds since 1970. */
  atMs: number;
  partitions: number[];
  /** Orders in memory. */
  bufferedEvents: number;
  /** The producer that all others wait for, such as "producer 7 on shard 3". */
  slowestProducer: string | null;
  /** How long they have waited; null while it is not known. */
  lagMs: number | null;
  memoryBytes: number;
};
export type ShownAggregator = AggregatorLine & { owner: string };

/** Written every second: an older status belongs to an aggregator that has stopped or hangs. */
const FRESH_MS = 5_000;
const KEPT_MS = 60_000;

/** One status per aggregator, in one hash. The others remove the status of an aggregator that was killed. */
export class AggregatorStatusStore {
  private readonly key: string;

  constructor(
    private readonly redis: RedisClient,
    log: string,
  ) {
    this.key = aggregatorsKey(log);
  }

  async write(owner: string, line: AggregatorLine): Promise<void> {
    await Promise.all([
      this.redis.write(this.key, "HSET", owner, JSON.stringify(line)),
      this.redis.write(this.key, "PEXPIRE", KEPT_MS),
    ]);
  }

  /** The running aggregators, by name. @throws when Redis does not answer */
  async read(nowMs = Date.now()): Promise<ShownAggregator[]> {
    const lines = await this.all();
    return lines
      .filter(({ atMs }) => Math.abs(nowMs - atMs) <= FRESH_MS)
      .sort((a, b) => (a.owner < b.owner ? -1 : 1));
  }

  async removeDead(nowMs = Date.now()): Promise<void> {
    const dead = (await this.all()).filter(({ atMs }) => Math.abs(nowMs - atMs) > KEPT_MS);
    if (dead.length > 0) await this.redis.write(this.key, "HDEL", ...dead.map(({ owner }) => owner));
  }

  async remove(owner: string): Promise<void> {
    await this.redis.write(this.key, "HDEL", owner);
  }

  private async all(): Promise<ShownAggregator[]> {
    const fields = Object.entries(await this.redis.hgetall(this.key));
    return fields.map(([owner, json]) => ({ owner, ...(JSON.parse(json) as AggregatorLine) }));
  }
}
