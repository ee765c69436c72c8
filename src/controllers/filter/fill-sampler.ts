import { inspectShards } from "../../filter/inspect-shards";
import type { InspectedVersion } from "../../filter/shard-repairer";
import { estimateUsers, setProgress } from "../../filter/versions";
import type { Pool } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";

const INTERVAL_MS = 30_000;

/** Stores twice a minute how full each version is, for the fill forecast. */
export class FillSampler {
  private nextAt = 0;

  constructor(private readonly options: { pool: Pool; redis: RedisClient }) {}

  async sample(inspected: readonly InspectedVersion[]): Promise<void> {
    if (performance.now() < this.nextAt) return;
    this.nextAt = performance.now() + INTERVAL_MS;
    const { pool, redis } = this.options;
    const users = await estimateUsers(pool);
    for (const { version } of inspected) {
      const shards = await inspectShards(redis, version);
      const items = shards.map(shard => shard.items ?? 0);
      const fill = {
        at: new Date().toISOString(),
        items: items.reduce((sum, one) => sum + one, 0),
        fullestShard: items.indexOf(Math.max(...items)),
        fullestItems: Math.max(...items),
        users,
      };
      // The first sample of a version is the forecast's starting point.
      const since = version.progress.fillSince ?? fill;
      await setProgress(pool, version.version, { fill, fillSince: since });
    }
  }
}
