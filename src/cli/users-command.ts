import { z } from "zod";
import { flag, readOptions, UsageError } from "../runtime/read-options";
import type { AuditContext } from "../services/audit/write-audit";
import { type DeviatingUser, everyUser, findDeviations } from "../services/users/find-deviations";
import { mendUsers, validateConstraints } from "../services/users/mend-users";
import type { Pool, PrismaClient } from "../store/postgres";

export const USAGE = `Usage: npm run users -- verify [--mend --reason <text>] [--json]

  verify    lists users whose key, skeleton or address is not what the policy makes of them
  --mend    gives them that form; users that would collide with another one are left for you to decide
  --json    one JSON object a line

Ends with 0 when every user is as the policy makes them, with 1 when one is not. Needs DATABASE_URL, or a running
\`npm start\`.
`;

const OPTIONS = z.object({
  mend: flag,
  json: flag,
  reason: z.string().trim().min(3, "says why, in three letters or more.").optional(),
});

type Deps = { pool: Pool; prisma: PrismaClient; operator: string; print: (text: string) => void };

/** Runs one command. @returns the exit code @throws UsageError | the client's error */
export async function runUsersCommand(deps: Deps, argv: string[]): Promise<number> {
  const { options, positionals } = readOptions(argv, OPTIONS, 1);
  if (positionals[0] !== "verify") throw new UsageError("Give a command.");
  if (options.mend && options.reason === undefined) throw new UsageError("Say why: --reason <text>.");
  return verify(deps, options);
}

async function verify(deps: Deps, { mend, json, reason = "" }: z.output<typeof OPTIONS>): Promise<number> {
  const { pool, print } = deps;
  const counts = { checked: 0, deviating: 0, mended: 0, conflicts: 0, remarks: 0 };
  const audit: AuditContext = {
    actor: { kind: "cli", id: null, name: deps.operator, role: null },
    action: "users.mend",
    requestId: null,
    address: null,
  };
  for await (const users of everyUser(pool)) {
    const found = await findDeviations(pool, users);
    const mended = new Set(mend ? await mendUsers(deps, audit, { found, reason }) : []);
    for (const one of found) print(json ? toJson(one, mended.has(one)) : toText(one, mended.has(one)));
    counts.checked += users.length;
    counts.deviating += found.filter(({ deviations }) => deviations.length > 0).length;
    counts.mended += mended.size;
    counts.conflicts += found.filter(({ conflict }) => conflict !== null).length;
    counts.remarks += found.filter(({ remarks }) => remarks.length > 0).length;
  }
  const left = counts.deviating - counts.mended;
  if (mend && left === 0) await validateConstraints(pool);
  print(json ? `${JSON.stringify(counts)}\n` : summary(counts, left));
  return left > 0 ? 1 : 0;
}

function toText({ user, deviations, remarks, conflict }: DeviatingUser, isMended: boolean): string {
  const end = isMended
    ? "mended"
    : conflict
      ? `left: ${conflict.username} has this ${conflict.column}. Decide which of the two stays as it is.`
      : "";
  const lines = deviations.map(
    ({ column, stored, expected }) =>
      `${user.id}  ${user.username}  ${column}: ${JSON.stringify(stored)} -> ${JSON.stringify(expected)}  ${end}`,
  );
  return lines
    .concat(remarks.map(remark => `${user.id}  ${user.username}  ${remark}`))
    .map(line => `${line.trimEnd()}\n`)
    .join("");
}

function toJson({ user, deviations, remarks, conflict }: DeviatingUser, mended: boolean): string {
  return `${JSON.stringify({ id: user.id, username: user.username, deviations, remarks, conflict, mended })}\n`;
}

function summary(counts: Record<string, number>, left: number): string {
  const { checked, deviating, mended, conflicts } = counts;
  if (deviating === 0) return `${checked} users are as the policy makes them.\n`;
  const advice = left > 0 && mended === 0 ? " Mend them with --mend." : "";
  return `${checked} users checked: ${deviating} deviate, ${mended} mended, ${conflicts} in conflict.${advice}\n`;
}
