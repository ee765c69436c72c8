import { inspectShards } from "../../filter/inspect-shards";
import type { SeenVersion } from "../../filter/shard-repairer";
import { estimateUsers, setProgress } from "../../filter/versions";
import type { Pool } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";

const EVERY_MS = 30_000;

/** Writes down twice a minute how full each version is, for forecasts and suggestions. */
export class Upkeep {
  private nextAt = 0;

  constructor(private readonly options: { pool: Pool; redis: RedisClient }) {}

  async look(seen: readonly SeenVersion[]): Promise<void> {
    if (performance.now() < this.nextAt) return;
    this.nextAt = performance.now() + EVERY_MS;
    const { pool, redis } = this.options;
    const users = await estimateUsers(pool);
    for (const { version } of seen) {
      const shards = await inspectShards(redis, version);
      const items = shards.map(shard => shard.items ?? 0);
      const fill = {
        at: new Date().toISOString(),
        items: items.reduce((sum, one) => sum + one, 0),
        fullestShard: items.indexOf(Math.max(...items)),
        fullestItems: Math.max(...items),
        users,
      };
      // Where the forecast counts from: what the version held when it was looked at first.
      const since = version.progress.fillSince ?? fill;
      await setProgress(pool, version.version, { fill, fillSince: since });
    }
  }
}
