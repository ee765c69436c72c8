import { AppError } from "../../domain/app-error";
import type { Prisma, PrismaClient } from "../../store/postgres";
import { COUNTED_ROWS, likeText, type Page, pageWindow } from "../page";
import type { AuditOutcome } from "./write-audit";

export type AuditFilter = {
  /** A part of target, reason or actor; or a whole request id. */
  search?: string;
  action?: string;
  /** A whole name or id. */
  actor?: string;
  outcome?: AuditOutcome;
  from?: Date;
  to?: Date;
};

type Row = Prisma.AuditEntryGetPayload<object>;

/** The newest first. */
export async function listAudit(prisma: PrismaClient, { page, pageSize, ...filter }: AuditFilter & Page) {
  const where = toAuditWhere(filter);
  const [rows, total] = await Promise.all([
    prisma.auditEntry.findMany({ where, orderBy: { id: "desc" }, ...pageWindow({ page, pageSize }) }),
    prisma.auditEntry.count({ where, take: COUNTED_ROWS }),
  ]);
  return { rows: rows.map(toAuditRow), total };
}

/** @throws AppError NOT_FOUND */
export async function readAuditEntry(prisma: PrismaClient, id: bigint) {
  const row = await prisma.auditEntry.findUnique({ where: { id } });
  if (!row) throw new AppError("NOT_FOUND", "There is no audit entry with this id.");
  return toAuditRow(row);
}

export function toAuditWhere({ search, action, actor, outcome, from, to }: AuditFilter) {
  const and: Prisma.AuditEntryWhereInput[] = [{ action, outcome }];
  if (from) and.push({ at: { gte: from } });
  if (to) and.push({ at: { lte: to } });
  if (actor) and.push({ OR: [{ actorName: actor }, { actorId: actor }] });
  if (search) {
    const text = { contains: likeText(search), mode: "insensitive" as const };
    and.push({ OR: [{ target: text }, { reason: text }, { actorName: text }, { requestId: search }] });
  }
  return { AND: and };
}

export function toAuditRow(row: Row) {
  return {
    ...row,
    // A bigint can exceed the range of a JavaScript number.
    id: row.id.toString(),
    at: row.at.toISOString(),
    actorKind: row.actorKind as "user" | "token" | "cli" | "system" | "anonymous",
    outcome: row.outcome as AuditOutcome,
    before: row.before as unknown,
    after: row.after as unknown,
  };
}
