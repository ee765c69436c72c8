import { createEngines, detectEngine } from "../../filter/detect-engine";
import { ALL_SHARDS, type FilterVersion, shardCapacityFor } from "../../filter/layout";
import { UNGUARDED } from "../../store/owner-guard";
import { createRedis, redisIsReady } from "../../store/redis";
import type { SideInput } from "./side-input";

export const ERROR_RATE = 0.01;
/** Far above any that a product would have reached, in case the server has keys of its own. */
const VERSION = 900_000_000;

/** The best engine of the server, and a version for so many names. `close` removes its keys. */
export async function openEngine({ redisUrl, capacity }: SideInput) {
  const settings = { url: redisUrl, connectionName: "bench", commandTimeoutMs: 10_000, guard: UNGUARDED };
  const redis = createRedis(settings, error => console.error(error.message));
  if (!(await redisIsReady(redis, 10_000))) throw new Error(`no Redis at ${redisUrl}`);
  const name = await detectEngine(redis);
  const engine = createEngines(redis)[name];
  const version: FilterVersion = {
    version: VERSION,
    engine: name,
    shardCapacity: shardCapacityFor(capacity),
    errorRate: ERROR_RATE,
  };
  const drop = () => Promise.all(ALL_SHARDS.map(shard => engine.drop(version, shard)));
  await drop();
  return {
    redis,
    engine,
    version,
    async close() {
      await drop();
      redis.disconnect();
    },
  };
}
