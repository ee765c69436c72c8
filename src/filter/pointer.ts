import { z } from "zod";
import type { Pool } from "../store/postgres";
import type { RedisClient } from "../store/redis";
import { FILTER_POINTER_KEY, ownerMarkKey } from "../store/redis-keys";
import { SHARD_COUNT } from "./layout";
import { type Rollout, readRevision, readRollout, type StoredVersion } from "./versions";

const shard = z
  .number()
  .int()
  .min(0)
  .max(SHARD_COUNT - 1);
const followed = z.object({
  version: z.number().int().positive(),
  engine: z.enum(["redisbloom", "bitmap"]),
  shardCapacity: z.number().int().positive(),
  errorRate: z.number().positive().lt(1),
  /** Shards that accept no more names: their 0 proves nothing. */
  full: z.array(shard),
});
const percent = z.number().min(0).max(100);
const pointerSchema = followed.extend({
  /** Rises with every change; a write with a lower revision has no effect. */
  revision: z.number().int().nonnegative(),
  /** A version for shadow reads and canary reads. */
  candidate: followed.extend({ shadowPercent: percent, canaryPercent: percent }).nullable(),
});

/** The pointer while no version is active: readers must stop following a version of another database. */
const noneSchema = z.object({ revision: z.number().int().nonnegative(), version: z.null() });

/** A version as readers know it. */
export type FollowedVersion = z.infer<typeof followed>;
/** Which version readers ask. One Redis key, replaced as a whole. */
export type FilterPointer = z.infer<typeof pointerSchema>;

/** Null when there is no pointer, or when the key has another value. */
export async function readPointer(redis: RedisClient): Promise<FilterPointer | null> {
  const { text } = await readStored(redis);
  return text === null ? null : (parsePointer(text) ?? null);
}

/** The pointer with the owner's mark beside it: only with one's own mark is it one's own pointer. */
async function readStored(redis: RedisClient): Promise<{ text: string | null; isOthers: boolean }> {
  const [text = null, mark = null] = await redis.mget(FILTER_POINTER_KEY, ownerMarkKey(FILTER_POINTER_KEY));
  const isOwn = redis.guard.owns(mark);
  // Without a mark it is written again soon, with one.
  return { text: isOwn ? text : null, isOthers: mark !== null && !isOwn };
}

export function pointerOf({ revision, active, ready }: Rollout): FilterPointer | null {
  if (!active) return null;
  const isAsked = ready && (ready.shadowPercent > 0 || ready.canaryPercent > 0);
  const { shadowPercent = 0, canaryPercent = 0 } = ready ?? {};
  const candidate = isAsked ? { ...follow(ready), shadowPercent, canaryPercent } : null;
  return { revision, ...follow(active), candidate };
}

function follow({ version, engine, shardCapacity, errorRate, fullShards }: StoredVersion): FollowedVersion {
  return { version, engine, shardCapacity, errorRate, full: fullShards };
}

/** Attempts before a pointer with a higher revision counts as the pointer of another database state. */
const MAX_REREADS = 3;

/**
 * Copies the rollout from the database to the pointer in Redis, and reads the pointer back: readers have
 * switched when Redis returns the new value. An older revision never overwrites a newer one.
 * @returns the version that readers follow now, or null
 * @throws when Redis or Postgres does not answer, or the pointer reads back differently
 */
export async function publishPointer(
  redis: RedisClient,
  pool: Pool,
): Promise<{ version: number; changed: boolean; text: string } | null> {
  for (let attempt = 1; ; attempt += 1) {
    const rollout = await readRollout(pool);
    const { revision } = rollout;
    const pointer = pointerOf(rollout);
    const text = JSON.stringify(pointer ?? { revision, version: null });
    const known = (await readStored(redis)).text;
    if (known === text) return pointer && { version: pointer.version, changed: false, text };
    // A database that was restored to an earlier state has a lower revision, and still decides.
    const force = attempt > MAX_REREADS ? "force" : "";
    const stored = await redis.setPointer(FILTER_POINTER_KEY, text, revision, force);
    if (stored === text) return pointer && { version: pointer.version, changed: true, text };
    if (attempt > MAX_REREADS)
      throw new Error("The filter pointer reads back differently than it was written.");
  }
}

/** Publishes the pointer again and again; without a change it reads the revision and the pointer alone. */
export class PointerPublisher {
  private last: { revision: string; text: string } | null = null;

  /** @param onFollowed after each change; when it rejects, the next call publishes again */
  constructor(
    private readonly redis: RedisClient,
    private readonly pool: Pool,
    private readonly onFollowed: (version: number, changed: boolean) => Promise<void>,
  ) {}

  /** @throws as publishPointer */
  async publish(): Promise<void> {
    const { redis, pool } = this;
    const [revision, { text }] = await Promise.all([readRevision(pool), readStored(redis)]);
    if (this.last !== null && revision === this.last.revision && text === this.last.text) return;
    this.last = null;
    const followed = await publishPointer(redis, pool);
    if (!followed) return;
    await this.onFollowed(followed.version, followed.changed);
    this.last = { revision, text: followed.text };
  }
}

/** Null: no version is active. Undefined: the text is not a pointer. */
function parsePointer(text: string): FilterPointer | null | undefined {
  try {
    const pointer = pointerSchema.or(noneSchema).parse(JSON.parse(text));
    return pointer.version === null ? null : pointer;
  } catch {
    return undefined;
  }
}

/**
 * Keeps the last pointer that could be read, also while the key is missing or Redis does not answer; none
 * while Redis belongs to another installation.
 * `ageMs` is its age.
 */
export class PointerFollower {
  private pointer: FilterPointer | null = null;
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

  /** Reads the pointer. Rejects when Redis does not answer; the last pointer stays. */
  async refresh(): Promise<void> {
    const { text, isOthers } = await readStored(this.redis);
    if (isOthers) {
      this.pointer = null;
      this.text = "";
    }
    if (text === null) return;
    this.readAt = Date.now();
    if (text === this.text) return;
    const pointer = parsePointer(text);
    if (pointer === undefined) return;
    this.text = text;
    this.pointer = pointer;
  }
}
