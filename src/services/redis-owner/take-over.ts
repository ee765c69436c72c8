import { readOwner } from "../../store/owner-guard";
import type { Pool, PrismaClient } from "../../store/postgres";
import { masters, type RedisClient } from "../../store/redis";
import { OWNER_KEY, OWNER_MARKS } from "../../store/redis-keys";
import { type AuditContext, writeAudit } from "../audit/write-audit";

type Deps = { pool: Pool; prisma: PrismaClient; redis: RedisClient };

/**
 * Makes this installation the owner of Redis, with an epoch above the last one. Every mark is replaced, so that
 * the other installation is refused from now on, also before it notices. Can be repeated.
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
  for (const master of masters(redis)) {
    for (let cursor = "0"; ; ) {
      const [next, keys] = await master.scan(cursor, "MATCH", OWNER_MARKS, "COUNT", 1_000);
      await Promise.all(keys.map(key => redis.set(key, mark, "KEEPTTL")));
      cursor = next;
      if (cursor === "0") break;
    }
  }
  return { before, after };
}
