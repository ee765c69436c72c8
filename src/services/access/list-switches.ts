import { ACTIONS, type Action, isAction, SWITCHABLE } from "../../domain/access/permissions";
import type { PrismaClient } from "../../store/postgres";

export type SwitchRow = {
  action: Action;
  title: string;
  off: boolean;
  by: string | null;
  reason: string | null;
  since: string | null;
};

/** All kill switches, also those that were never set. */
export async function listSwitches(prisma: PrismaClient): Promise<SwitchRow[]> {
  const rows = new Map((await prisma.actionSwitch.findMany()).map(row => [row.action, row]));
  return SWITCHABLE.map(action => {
    const row = rows.get(action);
    return {
      action,
      title: ACTIONS[action].title,
      off: row?.off ?? false,
      by: row?.setBy ?? null,
      reason: row?.reason ?? null,
      since: row?.since.toISOString() ?? null,
    };
  });
}

/** The actions that are switched off. Not cached: a switch must act at once on every server. */
export async function readOffSwitches(prisma: PrismaClient): Promise<ReadonlySet<Action>> {
  const rows = await prisma.actionSwitch.findMany({ where: { off: true }, select: { action: true } });
  return new Set(rows.map(row => row.action).filter(isAction));
}
