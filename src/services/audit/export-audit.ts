import { toCsv } from "../../domain/csv";
import type { PrismaClient } from "../../store/postgres";
import { type AuditFilter, toAuditRow, toAuditWhere } from "./list-audit";

export const EXPORTED_ROWS = 10_000;

const COLUMNS = [
  ...(["id", "at", "actorKind", "actorId", "actorName", "role", "action", "target"] as const),
  ...(["outcome", "reason", "requestId", "address", "before", "after"] as const),
] as const;

/** The newest rows of the filter as CSV; `truncated` means that there are more. */
export async function exportAudit(prisma: PrismaClient, filter: AuditFilter) {
  const rows = await prisma.auditEntry.findMany({
    where: toAuditWhere(filter),
    orderBy: { id: "desc" },
    take: EXPORTED_ROWS + 1,
  });
  const shown = rows.slice(0, EXPORTED_ROWS).map(toAuditRow);
  const lines = shown.map(row =>
    COLUMNS.map(column => {
      const value = row[column];
      return value === null || typeof value === "string" ? value : JSON.stringify(value);
    }),
  );
  return { csv: toCsv([[...COLUMNS], ...lines]), truncated: rows.length > EXPORTED_ROWS };
}
