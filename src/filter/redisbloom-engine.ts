import type { RedisClient } from "../store/redis";
import { filterKey } from "../store/redis-keys";
import {
  type AddOutcome,
  allFailed,
  type FilterEngine,
  isFull,
  isRefusal,
  LOAD_CHUNK_BYTES,
  type LoadOutcome,
  type Lookup,
  type ShardState,
} from "./engine";
import { bitsOf, type FilterVersion, type ShardLayout, sentinelOf, shardLayout } from "./layout";

/** Items in one BF.INSERT: far below Lua's limit for unpack, and under a millisecond in the server. */
const ITEMS_PER_CALL = 1_000;

/** RedisBloom's BF.* commands (Redis 8, Redis Stack). */
export class RedisBloomEngine implements FilterEngine {
  readonly name = "redisbloom";

  constructor(private readonly redis: RedisClient) {}

  async lookup(version: FilterVersion, shard: number, key: string): Promise<Lookup> {
    const [result] = await this.lookupOnce(version, shard, [key]);
    return result!;
  }

  async lookupMany(version: FilterVersion, shard: number, keys: string[]): Promise<Lookup[]> {
    const results: Lookup[] = [];
    for (let from = 0; from < keys.length; from += ITEMS_PER_CALL) {
      results.push(...(await this.lookupOnce(version, shard, keys.slice(from, from + ITEMS_PER_CALL))));
    }
    return results;
  }

  /** One command: the sentinel, then the names. */
  private async lookupOnce(version: FilterVersion, shard: number, keys: string[]): Promise<Lookup[]> {
    const reply = await this.redis
      .keyed(filterKey(shard, version.version), "BF.MEXISTS", sentinelOf(version.version), ...keys)
      .catch(returnRefusal);
    const isProof = Array.isArray(reply) && reply.length === keys.length + 1 && reply[0] === 1;
    if (!isProof) return keys.map(() => "unsealed");
    return keys.map((_, index) => {
      const one: unknown = reply[index + 1];
      if (one === 0) return "absent";
      return one === 1 ? "maybe" : "unsealed";
    });
  }

  async add(version: FilterVersion, shard: number, keys: string[]): Promise<AddOutcome[]> {
    const outcomes: AddOutcome[] = [];
    for (let from = 0; from < keys.length; from += ITEMS_PER_CALL) {
      const items = keys.slice(from, from + ITEMS_PER_CALL);
      const reply = await this.redis
        .write(filterKey(shard, version.version), "BF.INSERT", "NOCREATE", "ITEMS", ...items)
        .catch(returnRefusal);
      outcomes.push(...readAddReply(reply, items));
    }
    return outcomes;
  }

  async reserve(version: FilterVersion, shard: number): Promise<void> {
    const key = filterKey(shard, version.version);
    const state = await this.probe(version, shard);
    if (state === "mismatched") await this.redis.write(key, "UNLINK");
    if (state === "mismatched" || state === "missing") {
      await this.redis.write(key, "BF.RESERVE", version.errorRate, version.shardCapacity, "NONSCALING");
    }
  }

  async load(version: FilterVersion, shard: number, bits: Uint8Array, items: number): Promise<LoadOutcome> {
    const layout = shardLayout(version);
    if (bits.length !== layout.bytes)
      throw new RangeError(`A shard has ${layout.bytes} bytes, not ${bits.length}.`);
    const key = filterKey(shard, version.version);
    const empty = await this.redis
      .bloomLoad(key, version.errorRate, version.shardCapacity, ...headerFields(layout, items))
      .catch(returnRefusal);
    if (empty instanceof Error) return { unsupported: empty.message };
    // The names may set every bit of the sentinel. One of its bits is left out here, so that the shard
    // stays open; sealing adds the sentinel and sets this bit.
    const [missing] = bitsOf(sentinelOf(version.version), layout);
    for (let from = 0; from < bits.length; from += LOAD_CHUNK_BYTES) {
      const chunk = Buffer.from(bits.subarray(from, from + LOAD_CHUNK_BYTES));
      const at = Math.floor(missing! / 8) - from;
      if (at >= 0 && at < chunk.length) chunk[at]! &= ~(1 << (missing! % 8));
      // RedisBloom's iterator of a chunk is the offset of its end, counted from 1.
      await this.redis.write(key, "BF.LOADCHUNK", from + chunk.length + 1, chunk);
    }
    return "loaded";
  }

  async seal(version: FilterVersion, shard: number): Promise<void> {
    const [outcome] = await this.add(version, shard, [sentinelOf(version.version)]);
    if (outcome !== "added")
      throw new Error(`Sealing ${filterKey(shard, version.version)} failed: ${outcome?.error}`);
  }

  async drop(version: FilterVersion, shard: number): Promise<void> {
    await this.redis.write(filterKey(shard, version.version), "UNLINK");
  }

  async probe(version: FilterVersion, shard: number): Promise<ShardState> {
    const reply = await this.redis
      .bloomProbe(filterKey(shard, version.version), sentinelOf(version.version))
      .catch(returnRefusal);
    if (reply instanceof Error) return reply.message.includes("not found") ? "missing" : "mismatched";
    if (!Array.isArray(reply) || reply[0] !== version.shardCapacity || reply[1] !== 1) return "mismatched";
    if (reply[3] !== 1) return "open";
    return Number(reply[2]) >= version.shardCapacity ? "full" : "sealed";
  }
}

/** The header fields that the script bloomLoad expects: RedisBloom src/sb.c, dumpedChainHeader. */
function headerFields(layout: ShardLayout, items: number): Buffer[] {
  const words = (...values: number[]) => Buffer.from(BigUint64Array.from(values, BigInt).buffer);
  const hashes = Buffer.alloc(4);
  hashes.writeUInt32LE(layout.hashes);
  return [words(items), words(layout.bytes, layout.bits), hashes];
}

function returnRefusal(error: unknown): Error {
  if (isRefusal(error)) return error;
  throw error;
}

/** A full filter replies with an error for the first refused item, and omits the items after it. */
export function readAddReply(reply: unknown, items: string[]): AddOutcome[] {
  if (reply instanceof Error) return allFailed(items, reply.message);
  if (!Array.isArray(reply)) return allFailed(items, "unexpected reply");
  const full = reply.find((one): one is Error => one instanceof Error && isFull(one.message));
  return items.map((_, index) => {
    const one: unknown = reply[index];
    if (one === 0 || one === 1) return "added";
    if (one instanceof Error) return { error: one.message };
    return { error: full ? `not attempted: ${full.message}` : "not attempted" };
  });
}
