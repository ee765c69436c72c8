import { masters, type RedisClient } from "../store/redis";
import { BitmapEngine } from "./bitmap-engine";
import type { FilterEngine } from "./engine";
import type { EngineName } from "./layout";
import { RedisBloomEngine } from "./redisbloom-engine";

/** `redisbloom` where every master knows BF.INSERT, else `bitmap`. Rejects while a master does not answer. */
export async function detectEngine(redis: RedisClient): Promise<EngineName> {
  const replies = await Promise.all(masters(redis).map(node => node.call("COMMAND", "INFO", "BF.INSERT")));
  if (replies.length === 0) throw new Error("no Redis master is known yet");
  const everywhere = replies.every(
    reply => Array.isArray(reply) && reply[0] !== null && reply[0] !== undefined,
  );
  return everywhere ? "redisbloom" : "bitmap";
}

export type Engines = Record<EngineName, FilterEngine>;

/** Both engines on one client: each version says which of them it lies in. */
export function createEngines(redis: RedisClient): Engines {
  return { redisbloom: new RedisBloomEngine(redis), bitmap: new BitmapEngine(redis) };
}
