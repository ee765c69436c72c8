import type { ReservedWord } from "../../domain/username/reserved-words";
import type { PrismaClient } from "../../store/postgres";
import { COUNTED_ROWS, likeText, type Page, pageWindow } from "../page";

export type ReservedFilter = Page & { search?: string; kind?: ReservedWord["kind"] };

export async function listReservedWords(prisma: PrismaClient, { search, kind, ...page }: ReservedFilter) {
  const text = search && { contains: likeText(search), mode: "insensitive" as const };
  const where = { kind, ...(text ? { OR: [{ pattern: text }, { reason: text }] } : {}) };
  const [rows, total] = await Promise.all([
    prisma.reservedWord.findMany({
      where,
      orderBy: [{ pattern: "asc" }, { kind: "asc" }],
      ...pageWindow(page),
    }),
    prisma.reservedWord.count({ where, take: COUNTED_ROWS }),
  ]);
  return {
    rows: rows.map(row => ({
      id: row.id,
      pattern: row.pattern,
      kind: row.kind as ReservedWord["kind"],
      reason: row.reason,
      createdBy: row.createdBy,
      createdAt: row.createdAt.toISOString(),
    })),
    total,
  };
}
