import { Cluster } from "ioredis";
import { masters, type RedisClient } from "../store/redis";
import { BitmapEngine } from "./bitmap-engine";
import type { FilterEngine } from "./engine";
import type { EngineName } from "./layout";
import { RedisBloomEngine } from "./redisbloom-engine";

/** `redisbloom` where every master knows BF.INSERT, else `bitmap`. Rejects while a master does not answer. */
export async function detectEngine(redis: RedisClient): Promise<EngineName> {
  const replies = await Promise.all(masters(redis).map(node => node.call("COMMAND", "INFO", "BF.INSERT")));
  const single = redis instanceof Cluster ? "" : String(await redis.call("INFO", "cluster"));
  if (single.includes("cluster_enabled:1")) {
    throw new Error(
      "REDIS_URL is one node of a cluster. Add ?cluster to it, or list several nodes, separated by commas.",
    );
  }
  if (replies.length === 0) throw new Error("No Redis master is known yet. Check REDIS_URL.");
  const everywhere = replies.every(
    reply => Array.isArray(reply) && reply[0] !== null && reply[0] !== undefined,
  );
  return everywhere ? "redisbloom" : "bitmap";
}

export type Engines = Record<EngineName, FilterEngine>;

/** Both engines on one client; a version's `engine` chooses one. */
export function createEngines(redis: RedisClient): Engines {
  return { redisbloom: new RedisBloomEngine(redis), bitmap: new BitmapEngine(redis) };
}
