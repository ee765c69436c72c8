import { emailPrefix } from "../../domain/access/email";
import type { Role } from "../../domain/access/permissions";
import { foldName } from "../../domain/username/username-characters";
import { Prisma, type PrismaClient } from "../../store/postgres";
import { COUNTED_ROWS, type Page, pageWindow } from "../page";
import { showEmail } from "./show-email";

export type UserFilter = Page & {
  /** The prefix of a username or an e-mail address: only a prefix can use an index. */
  search?: string;
  role?: Role;
  status?: "active" | "disabled";
  sort: "createdAt" | "username" | "role";
  order: "asc" | "desc";
};

const SELECT = {
  id: true,
  username: true,
  usernameKey: true,
  email: true,
  role: true,
  disabledAt: true,
  createdAt: true,
  version: true,
} as const;

/** `isCut`: there are more than `total`, and they are sorted among those that were looked at. */
export async function listUsers(prisma: PrismaClient, filter: UserFilter) {
  const { rows, total, isCut } = filter.search
    ? await searchUsers(prisma, filter, filter.search)
    : await filterUsers(prisma, filter);
  return {
    rows: rows.map(({ _count, disabledAt, createdAt, role, email, ...user }) => ({
      ...user,
      email: showEmail(email),
      role: role as Role,
      disabledAt: disabledAt?.toISOString() ?? null,
      createdAt: createdAt.toISOString(),
      sessions: _count.sessions,
    })),
    total,
    isCut,
  };
}

const withSessions = () => ({
  ...SELECT,
  _count: { select: { sessions: { where: { expiresAt: { gt: new Date() } } } } },
});

async function filterUsers(prisma: PrismaClient, filter: UserFilter) {
  const { role, status } = filter;
  const where: Prisma.UserWhereInput = { role };
  if (status) where.disabledAt = status === "active" ? null : { not: null };
  const [rows, total] = await Promise.all([
    prisma.user.findMany({
      where,
      orderBy: toOrder(filter),
      ...pageWindow(filter),
      select: withSessions(),
    }),
    prisma.user.count({ where, take: COUNTED_ROWS }),
  ]);
  return { rows, total, isCut: total >= COUNTED_ROWS };
}

/** Each order is total and has an index. */
function toOrder({ sort, order }: UserFilter): Prisma.UserOrderByWithRelationInput[] {
  if (sort === "username") return [{ usernameKey: order }];
  const byTime = [{ createdAt: order }, { id: order }];
  return sort === "role" ? [{ role: order }, ...byTime] : byTime;
}

/** So many names and so many addresses with the prefix are looked at, in a table of any size. */
const MAX_FOUND = 5_000;
/** Behind every text with a prefix, in the order of code points. */
const LAST_CHARACTER = "\u{10ffff}";

type Found = { ids: string[]; total: number; isCut: boolean };

/** The planner would read all users in the order of the list where few of them match. */
async function searchUsers(prisma: PrismaClient, filter: UserFilter, search: string) {
  const { skip, take } = pageWindow(filter);
  const key = foldName(search) ?? search.toLowerCase();
  const mail = emailPrefix(search);
  const [found] = await prisma.$queryRaw<Found[]>`
    WITH by_key AS MATERIALIZED (
      SELECT id FROM users WHERE username_key >= ${key} AND username_key < ${key + LAST_CHARACTER}
      ORDER BY username_key LIMIT ${MAX_FOUND}),
    by_email AS MATERIALIZED (
      SELECT id FROM users WHERE email >= ${mail} AND email < ${mail + LAST_CHARACTER}
      ORDER BY email LIMIT ${MAX_FOUND}),
    matching AS MATERIALIZED (
      SELECT u.id, u.username_key, u.role, u.created_at
      FROM (SELECT id FROM by_key UNION SELECT id FROM by_email) found JOIN users u USING (id)
      WHERE ${conditionOf(filter)})
    SELECT (SELECT count(*)::int FROM matching) AS total,
      (SELECT count(*) FROM by_key) = ${MAX_FOUND} OR (SELECT count(*) FROM by_email) = ${MAX_FOUND} AS "isCut",
      ARRAY(SELECT id FROM matching ORDER BY ${orderOf(filter)} OFFSET ${skip} LIMIT ${take}) AS ids`;
  const { ids, total, isCut } = found!;
  const rows = await prisma.user.findMany({ where: { id: { in: ids } }, select: withSessions() });
  rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  return { rows, total, isCut };
}

function conditionOf({ role, status }: UserFilter): Prisma.Sql {
  const ofRole = role ? Prisma.sql`u.role = ${role}` : Prisma.sql`true`;
  if (!status) return ofRole;
  const ofStatus = status === "active" ? Prisma.sql`IS NULL` : Prisma.sql`IS NOT NULL`;
  return Prisma.sql`${ofRole} AND u.disabled_at ${ofStatus}`;
}

function orderOf({ sort, order }: UserFilter): Prisma.Sql {
  const direction = order === "asc" ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  if (sort === "username") return Prisma.sql`username_key ${direction}`;
  const byTime = Prisma.sql`created_at ${direction}, id ${direction}`;
  return sort === "role" ? Prisma.sql`role ${direction}, ${byTime}` : byTime;
}
