import { ACTION_NAMES, ACTIONS, SYSTEM_ACTIONS } from "../../domain/access/permissions";
import type { PrismaClient } from "../../store/postgres";

export type Annotation = { at: string; label: string; href: string; kind: string };

const MAX_ANNOTATIONS = 200;

/** Titles of the changes by action. */
const TITLES: Record<string, string> = {
  ...Object.fromEntries(
    ACTION_NAMES.filter(action => ACTIONS[action].mutates).map(action => [action, ACTIONS[action].title]),
  ),
  ...SYSTEM_ACTIONS,
};

/** Changes in the range that may explain a change in a chart, newest first, each linked to its audit row. */
export async function readAnnotations(
  prisma: PrismaClient,
  range: { from: Date; to: Date },
): Promise<Annotation[]> {
  const rows = await prisma.auditEntry.findMany({
    where: { at: { gte: range.from, lte: range.to }, outcome: "ok", action: { in: Object.keys(TITLES) } },
    orderBy: { id: "desc" },
    take: MAX_ANNOTATIONS,
    select: { id: true, at: true, action: true, target: true, actorName: true },
  });
  return rows.map(row => ({
    at: row.at.toISOString(),
    label: `${TITLES[row.action] ?? row.action}: ${row.target ?? "-"}, ${row.actorName}`,
    href: `/console/audit?id=${row.id}`,
    kind: row.action,
  }));
}
