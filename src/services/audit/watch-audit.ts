import type { PrismaClient } from "../../store/postgres";

/** What a console that is open learns about changes others make. */
export type AuditEvent = {
  id: string;
  at: string;
  actorName: string;
  action: string;
  target: string | null;
  outcome: string;
};

export type AuditNews = {
  events: AuditEvent[];
  /** Where to go on from: the id of the newest row that was seen. */
  cursor: string;
  /** More happened than is replayed: what is shown must be read anew. */
  resync: boolean;
};

const MAX_REPLAYED = 100;

/** The audit rows behind `cursor`, oldest first; without one, nothing but where the log ends now. */
export async function readAuditNews(prisma: PrismaClient, cursor: string | undefined): Promise<AuditNews> {
  const newest = async () => {
    const row = await prisma.auditEntry.findFirst({ orderBy: { id: "desc" }, select: { id: true } });
    return String(row?.id ?? 0);
  };
  if (cursor === undefined) return { events: [], cursor: await newest(), resync: false };
  const rows = await prisma.auditEntry.findMany({
    where: { id: { gt: BigInt(cursor) } },
    orderBy: { id: "asc" },
    take: MAX_REPLAYED + 1,
    select: { id: true, at: true, actorName: true, action: true, target: true, outcome: true },
  });
  if (rows.length > MAX_REPLAYED) return { events: [], cursor: await newest(), resync: true };
  const events = rows.map(row => ({ ...row, id: String(row.id), at: row.at.toISOString() }));
  return { events, cursor: events.at(-1)?.id ?? cursor, resync: false };
}
