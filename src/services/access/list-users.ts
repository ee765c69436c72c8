import type { Role } from "../../domain/access/permissions";
import { foldName } from "../../domain/username/username-characters";
import type { Prisma, PrismaClient } from "../../store/postgres";
import { COUNTED_ROWS, likeText, type Page, pageWindow } from "../page";

export type UserFilter = Page & {
  /** The prefix of a username or an e-mail address: only a prefix can use an index. */
  search?: string;
  role?: Role;
  status?: "active" | "disabled";
  sort: "createdAt" | "username" | "role";
  order: "asc" | "desc";
};

export async function listUsers(prisma: PrismaClient, filter: UserFilter) {
  const where = toWhere(filter);
  const [rows, total] = await Promise.all([
    prisma.user.findMany({
      where,
      orderBy: toOrder(filter),
      ...pageWindow(filter),
      select: {
        id: true,
        username: true,
        usernameKey: true,
        email: true,
        role: true,
        disabledAt: true,
        createdAt: true,
        version: true,
        _count: { select: { sessions: { where: { expiresAt: { gt: new Date() } } } } },
      },
    }),
    prisma.user.count({ where, take: COUNTED_ROWS }),
  ]);
  return {
    rows: rows.map(({ _count, disabledAt, createdAt, role, ...user }) => ({
      ...user,
      role: role as Role,
      disabledAt: disabledAt?.toISOString() ?? null,
      createdAt: createdAt.toISOString(),
      sessions: _count.sessions,
    })),
    total,
  };
}

function toWhere({ search, role, status }: UserFilter): Prisma.UserWhereInput {
  const where: Prisma.UserWhereInput = { role };
  if (status) where.disabledAt = status === "active" ? null : { not: null };
  if (search) {
    const key = foldName(search) ?? search.toLowerCase();
    where.OR = [
      { usernameKey: { startsWith: likeText(key) } },
      { email: { startsWith: likeText(search.toLowerCase()) } },
    ];
  }
  return where;
}

/** Each order is total and has an index. */
function toOrder({ sort, order }: UserFilter): Prisma.UserOrderByWithRelationInput[] {
  if (sort === "username") return [{ usernameKey: order }];
  const byTime = [{ createdAt: order }, { id: order }];
  return sort === "role" ? [{ role: order }, ...byTime] : byTime;
}
