import type { PrismaClient } from "../../store/postgres";

/** The newest 500 tokens, also revoked ones, without their hashes. */
export async function listTokens(prisma: PrismaClient) {
  const rows = await prisma.serviceToken.findMany({
    orderBy: [{ createdAt: "desc" }, { id: "asc" }],
    take: 500,
    omit: { hash: true },
  });
  return rows.map(row => ({
    id: row.id,
    name: row.name,
    role: row.role,
    scopes: row.scopes,
    accounts: row.accounts,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
  }));
}
