import { hash } from "node:crypto";
import type { RedisClient } from "../store/redis";
import { filterKey } from "../store/redis-keys";
import {
  type AddOutcome,
  allFailed,
  type FilterEngine,
  isRefusal,
  LOAD_CHUNK_BYTES,
  type LoadOutcome,
  type Lookup,
  type ShardState,
} from "./engine";
import { bitsOf, type FilterVersion, type ShardLayout, shardLayout } from "./layout";

/** Offsets in one script call; a call takes well under a millisecond in the server. */
const OFFSETS_PER_CALL = 4_000;
const TRAILER_BYTES = 6;

type Prepared = ShardLayout & { totalBytes: number; trailer: number; getTrailer: [string, string, string] };

/**
 * The same bits as RedisBloom's in a plain string, for a Redis or Valkey without BF.*.
 * A 48-bit trailer after the bits is this engine's sentinel: a hash of the version and its parameters,
 * written last. One GET of it proves that the shard is complete and belongs to this version.
 */
export class BitmapEngine implements FilterEngine {
  readonly name = "bitmap";
  private readonly prepared = new WeakMap<FilterVersion, Prepared>();

  constructor(private readonly redis: RedisClient) {}

  async lookup(version: FilterVersion, shard: number, key: string): Promise<Lookup> {
    const [result] = await this.lookupOnce(version, shard, [key]);
    return result!;
  }

  async lookupMany(version: FilterVersion, shard: number, keys: string[]): Promise<Lookup[]> {
    const results: Lookup[] = [];
    const perCall = keysPerCall(this.prepare(version));
    for (let from = 0; from < keys.length; from += perCall) {
      results.push(...(await this.lookupOnce(version, shard, keys.slice(from, from + perCall))));
    }
    return results;
  }

  /** One command: the trailer, then the bits of each name. */
  private async lookupOnce(version: FilterVersion, shard: number, keys: string[]): Promise<Lookup[]> {
    const layout = this.prepare(version);
    const args = [...layout.getTrailer];
    for (const key of keys) for (const bit of bitsOf(key, layout)) args.push("GET", "u1", redisOffset(bit));
    const reply = await this.redis
      .call("BITFIELD_RO", filterKey(shard, version.version), ...args)
      .catch((error: unknown) => {
        if (isRefusal(error)) return [];
        throw error;
      });
    const isComplete = Array.isArray(reply) && reply.length === layout.hashes * keys.length + 1;
    if (!isComplete || reply[0] !== layout.trailer) return keys.map(() => "unsealed");
    return keys.map((_, index) => {
      const from = 1 + index * layout.hashes;
      const zero = reply.indexOf(0, from);
      return zero === -1 || zero >= from + layout.hashes ? "maybe" : "absent";
    });
  }

  async add(version: FilterVersion, shard: number, keys: string[]): Promise<AddOutcome[]> {
    const layout = this.prepare(version);
    const outcomes: AddOutcome[] = [];
    const perCall = keysPerCall(layout);
    for (let from = 0; from < keys.length; from += perCall) {
      const items = keys.slice(from, from + perCall);
      const offsets = items.flatMap(item => bitsOf(item, layout).map(redisOffset));
      try {
        const reply = await this.redis.bitmapAdd(
          filterKey(shard, version.version),
          layout.totalBytes,
          layout.hashes,
          ...offsets,
        );
        const matches = Array.isArray(reply) && reply.length === items.length;
        outcomes.push(
          ...(matches ? items.map((): AddOutcome => "added") : allFailed(items, "unexpected reply")),
        );
      } catch (error) {
        if (!isRefusal(error)) throw error;
        outcomes.push(...allFailed(items, error.message));
      }
    }
    return outcomes;
  }

  async reserve(version: FilterVersion, shard: number): Promise<void> {
    await this.redis.bitmapReserve(filterKey(shard, version.version), this.prepare(version).totalBytes);
  }

  /** The value has the same bytes as RedisBloom's filter; the trailer stays zero. */
  async load(version: FilterVersion, shard: number, bits: Uint8Array): Promise<LoadOutcome> {
    const { bytes, totalBytes } = this.prepare(version);
    if (bits.length !== bytes) throw new RangeError(`A shard has ${bytes} bytes, not ${bits.length}.`);
    const key = filterKey(shard, version.version);
    for (let from = 0; from < bytes; from += LOAD_CHUNK_BYTES) {
      const chunk = Buffer.from(bits.subarray(from, from + LOAD_CHUNK_BYTES));
      await this.redis.bitmapLoad(key, totalBytes, from, chunk);
    }
    return "loaded";
  }

  async seal(version: FilterVersion, shard: number): Promise<void> {
    const layout = this.prepare(version);
    const trailer = Buffer.alloc(TRAILER_BYTES);
    trailer.writeUIntBE(layout.trailer, 0, TRAILER_BYTES);
    const key = filterKey(shard, version.version);
    await this.redis.bitmapSeal(key, layout.totalBytes, layout.bytes, trailer);
  }

  async drop(version: FilterVersion, shard: number): Promise<void> {
    await this.redis.write(filterKey(shard, version.version), "UNLINK");
  }

  async probe(version: FilterVersion, shard: number): Promise<ShardState> {
    const layout = this.prepare(version);
    const key = filterKey(shard, version.version);
    try {
      const reply = await this.redis.call("BITFIELD_RO", key, ...layout.getTrailer);
      // The trailer names the layout: a shard of another length has another one.
      if (Array.isArray(reply) && reply[0] === layout.trailer) return "sealed";
      const length = await this.redis.strlen(key);
      if (length === 0) return "missing";
      return length === layout.totalBytes ? "open" : "mismatched";
    } catch (error) {
      if (isRefusal(error)) return "mismatched";
      throw error;
    }
  }

  private prepare(version: FilterVersion): Prepared {
    let prepared = this.prepared.get(version);
    if (!prepared) {
      const layout = shardLayout(version);
      const name = `v${version.version} ${version.shardCapacity} ${version.errorRate}`;
      prepared = {
        ...layout,
        totalBytes: layout.bytes + TRAILER_BYTES,
        trailer: hash("sha256", name, "buffer").readUIntBE(0, TRAILER_BYTES),
        getTrailer: ["GET", "u48", String(layout.bits)],
      };
      this.prepared.set(version, prepared);
    }
    return prepared;
  }
}

function keysPerCall({ hashes }: ShardLayout): number {
  return Math.max(1, Math.floor(OFFSETS_PER_CALL / hashes));
}

/** RedisBloom counts a byte's bits from the lowest, Redis' bit commands from the highest. */
function redisOffset(bit: number): string {
  return String(bit + 7 - 2 * (bit % 8));
}
