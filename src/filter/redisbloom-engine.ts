import type { RedisClient } from "../store/redis";
import { filterKey } from "../store/redis-keys";
import {
  type AddOutcome,
  allFailed,
  type FilterEngine,
  isRefusal,
  type Lookup,
  type ShardState,
} from "./engine";
import { type FilterVersion, sentinelOf } from "./layout";

/** Items in one BF.INSERT: far below Lua's limit for unpack, and under a millisecond in the server. */
const ITEMS_PER_CALL = 1_000;

/** RedisBloom's BF.* commands (Redis 8, Redis Stack). */
export class RedisBloomEngine implements FilterEngine {
  readonly name = "redisbloom";

  constructor(private readonly redis: RedisClient) {}

  async lookup(version: FilterVersion, shard: number, key: string): Promise<Lookup> {
    const reply = await this.redis
      .keyed(filterKey(shard, version.version), "BF.MEXISTS", sentinelOf(version.version), key)
      .catch(refusedAs([]));
    if (!Array.isArray(reply) || reply.length !== 2 || reply[0] !== 1) return "unsealed";
    if (reply[1] === 0) return "absent";
    return reply[1] === 1 ? "maybe" : "unsealed";
  }

  async add(version: FilterVersion, shard: number, keys: string[]): Promise<AddOutcome[]> {
    const outcomes: AddOutcome[] = [];
    for (let from = 0; from < keys.length; from += ITEMS_PER_CALL) {
      const items = keys.slice(from, from + ITEMS_PER_CALL);
      const reply = await this.redis
        .keyed(filterKey(shard, version.version), "BF.INSERT", "NOCREATE", "ITEMS", ...items)
        .catch((error: unknown) => {
          if (isRefusal(error)) return error;
          throw error;
        });
      outcomes.push(...readAddReply(reply, items));
    }
    return outcomes;
  }

  async reserve(version: FilterVersion, shard: number): Promise<void> {
    const key = filterKey(shard, version.version);
    const state = await this.probe(version, shard);
    if (state === "foreign") await this.redis.unlink(key);
    if (state === "foreign" || state === "missing") {
      await this.redis.keyed(key, "BF.RESERVE", version.errorRate, version.shardCapacity, "NONSCALING");
    }
  }

  async seal(version: FilterVersion, shard: number): Promise<void> {
    const [outcome] = await this.add(version, shard, [sentinelOf(version.version)]);
    if (outcome !== "added")
      throw new Error(`sealing ${filterKey(shard, version.version)}: ${outcome?.error}`);
  }

  async drop(version: FilterVersion, shard: number): Promise<void> {
    await this.redis.unlink(filterKey(shard, version.version));
  }

  async probe(version: FilterVersion, shard: number): Promise<ShardState> {
    const reply = await this.redis
      .bloomProbe(filterKey(shard, version.version), sentinelOf(version.version))
      .catch((error: unknown) => {
        if (isRefusal(error)) return error;
        throw error;
      });
    if (reply instanceof Error) return reply.message.includes("not found") ? "missing" : "foreign";
    if (!Array.isArray(reply) || reply[0] !== version.shardCapacity || reply[1] !== 1) return "foreign";
    if (reply[3] !== 1) return "open";
    return Number(reply[2]) >= version.shardCapacity ? "full" : "sealed";
  }
}

function refusedAs<T>(value: T): (error: unknown) => T {
  return error => {
    if (isRefusal(error)) return value;
    throw error;
  };
}

/** A full filter answers with an error inside the array, and with nothing for the items behind it. */
export function readAddReply(reply: unknown, items: string[]): AddOutcome[] {
  if (reply instanceof Error) return allFailed(items, reply.message);
  if (!Array.isArray(reply)) return allFailed(items, "unexpected reply");
  return items.map((_, index) => {
    const one: unknown = reply[index];
    if (one === 0 || one === 1) return "added";
    if (one instanceof Error) return { error: one.message };
    return { error: "not attempted" };
  });
}
