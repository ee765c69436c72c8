import type { PrismaClient } from "../../store/postgres";

/** A change as open consoles are notified of it. */
export type AuditEvent = {
  id: string;
  at: string;
  actorName: string;
  action: string;
  target: string | null;
  outcome: string;
};

export type AuditChanges = {
  events: AuditEvent[];
  /** The id of the newest row read; the next call continues after it. */
  cursor: string;
  /** There were more changes than are replayed: the page must be read again. */
  resync: boolean;
};

const MAX_REPLAYED = 100;

/** The audit rows after `cursor`, oldest first; without a cursor only the current end of the log. */
export async function readAuditChanges(
  prisma: PrismaClient,
  cursor: string | undefined,
): Promise<AuditChanges> {
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
