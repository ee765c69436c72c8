import { z } from "zod";
import { readOptions, UsageError } from "../runtime/read-options";
import type { AuditContext } from "../services/audit/write-audit";
import { takeRedisOver } from "../services/redis-owner/take-over";
import { problemOf, readOwner } from "../store/owner-guard";
import type { Pool, PrismaClient } from "../store/postgres";
import type { RedisClient } from "../store/redis";
import { OWNER_KEY } from "../store/redis-keys";

export const USAGE = `Usage: npm run redis-owner -- <command>

  show                    whose Redis it is, and whether this installation writes to it
  take --reason <text>    this installation owns it from now on; the other one writes nothing more

DATABASE_URL and REDIS_URL as for the processes.
`;

const OPTIONS = z.object({
  reason: z.string().trim().min(3, "say why, in three letters or more").optional(),
});

type Deps = { pool: Pool; prisma: PrismaClient; redis: RedisClient; operator: string };

/** Runs one command; resolves to the text to print. @throws UsageError | the client's error */
export async function runRedisOwnerCommand(deps: Deps, argv: string[]): Promise<string> {
  const { options, positionals } = readOptions(argv, OPTIONS, 1);
  switch (positionals[0]) {
    case "show":
      return show(deps);
    case "take": {
      if (options.reason === undefined) throw new UsageError("Say why: --reason <text>.");
      const audit: AuditContext = {
        actor: { kind: "cli", id: null, name: deps.operator, role: null },
        action: "redis.takeOver",
        requestId: null,
        address: null,
      };
      const { before, after } = await takeRedisOver(deps, audit, options.reason);
      return `Redis belongs to this installation now: ${after}\nBefore: ${before ?? "no owner"}\n`;
    }
    default:
      throw new UsageError("Give a command.");
  }
}

async function show({ pool, redis }: Deps): Promise<string> {
  const own = await readOwner(pool);
  const held = await redis.get(OWNER_KEY);
  if (held === null) return "Redis has no owner: the first process that starts owns it.\n";
  return `${held}\n${problemOf(own, held) ?? "Redis belongs to this installation."}\n`;
}
