import { z } from "zod";
import type { RedisClient } from "../store/redis";
import { FILTER_POINTER_KEY } from "../store/redis-keys";
import { type FilterVersion, SHARD_COUNT } from "./layout";

const pointerSchema = z.object({
  version: z.number().int().positive(),
  engine: z.enum(["redisbloom", "bitmap"]),
  shardCapacity: z.number().int().positive(),
  errorRate: z.number().positive().lt(1),
  /** Shards that take no more names: their 0 does not count until a larger version is built. */
  full: z.array(
    z
      .number()
      .int()
      .min(0)
      .max(SHARD_COUNT - 1),
  ),
});

/** What readers follow: which version answers. One Redis key, replaced as a whole. */
export type FilterPointer = z.infer<typeof pointerSchema>;

/** Null when there is none, or when something else lies under the key. */
export async function readPointer(redis: RedisClient): Promise<FilterPointer | null> {
  const text = await redis.get(FILTER_POINTER_KEY);
  return text === null ? null : parsePointer(text);
}

/** Writes the pointer if it differs, and reads it back: "switched" is what Redis says, not what was sent. */
export async function publishPointer(
  redis: RedisClient,
  version: FilterVersion,
  full: number[],
): Promise<boolean> {
  const { version: number, engine, shardCapacity, errorRate } = version;
  const text = JSON.stringify({ version: number, engine, shardCapacity, errorRate, full });
  if ((await redis.get(FILTER_POINTER_KEY).catch(() => null)) === text) return false;
  await redis.set(FILTER_POINTER_KEY, text);
  if ((await redis.get(FILTER_POINTER_KEY)) !== text)
    throw new Error("the filter pointer did not read back as written");
  return true;
}

function parsePointer(text: string): FilterPointer | null {
  try {
    return pointerSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Keeps the last pointer that could be read. A reader that cannot learn it goes on with the one
 * it has, and `ageMs` says since when.
 */
export class PointerFollower {
  private pointer: FilterPointer | null = null;
  private full: ReadonlySet<number> = new Set();
  private readAt = 0;
  private text = "";

  constructor(private readonly redis: RedisClient) {}

  get current(): FilterPointer | null {
    return this.pointer;
  }

  /** Milliseconds since the pointer was last read from Redis; Infinity if it never was. */
  get ageMs(): number {
    return this.readAt === 0 ? Number.POSITIVE_INFINITY : Date.now() - this.readAt;
  }

  isFull(shard: number): boolean {
    return this.full.has(shard);
  }

  /** One look at Redis. Rejects when Redis does not answer; the last pointer stays. */
  async refresh(): Promise<void> {
    const text = await this.redis.get(FILTER_POINTER_KEY);
    if (text === null) return;
    this.readAt = Date.now();
    if (text === this.text) return;
    const pointer = parsePointer(text);
    if (!pointer) return;
    this.text = text;
    this.pointer = pointer;
    this.full = new Set(pointer.full);
  }
}
