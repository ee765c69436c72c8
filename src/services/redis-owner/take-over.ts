import { readOwner } from "../../store/owner-guard";
import type { Pool, PrismaClient } from "../../store/postgres";
import { masters, type RedisClient } from "../../store/redis";
import { FILTER_KEYS, OWNER_KEY, OWNER_MARKS } from "../../store/redis-keys";
import { type AuditContext, writeAudit } from "../audit/write-audit";

type Deps = { pool: Pool; prisma: PrismaClient; redis: RedisClient };

/**
 * Makes this installation the owner of Redis, with an epoch above the last one. Every mark is replaced, so that
 * the other installation is refused from now on, also before it notices. The filter's shards are removed, and
 * filled again from this database. Orders that wait in the log stay, for this one's engine. Can be repeated.
 * @throws when Redis or Postgres does not answer: some of the marks may be replaced, and a repeat completes it
 */
export async function takeRedisOver(
  { pool, prisma, redis }: Deps,
  audit: AuditContext,
  reason: string,
): Promise<{ before: string | null; after: string }> {
  const { installation, database, databaseName } = await readOwner(pool);
  const owner = `${installation} ${database}`;
  const before = await redis.get(OWNER_KEY).catch(() => "of another type");
  await writeAudit(prisma, audit, { target: "redis", before: { owner: before }, after: { owner }, reason });
  const after = String(await redis.claimOwner(OWNER_KEY, owner, databaseName, "take"));
  const mark = `${after.split(" ", 1)[0]} ${owner}`;
  await forEachKey(redis, OWNER_MARKS, key => redis.set(key, mark, "KEEPTTL"));
  // The versions of both may have the same numbers: only shards that this one has filled are a proof.
  await forEachKey(redis, FILTER_KEYS, key => redis.unlink(key));
  return { before, after };
}

async function forEachKey(
  redis: RedisClient,
  pattern: string,
  work: (key: string) => Promise<unknown>,
): Promise<void> {
  for (const master of masters(redis)) {
    let cursor = "0";
    do {
      const [next, keys] = await master.scan(cursor, "MATCH", pattern, "COUNT", 1_000);
      await Promise.all(keys.map(work));
      cursor = next;
    } while (cursor !== "0");
  }
}
