import { type Action, SWITCHABLE } from "../../domain/access/permissions";
import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";

/** Switches an action off for all callers, or on again, from the next request on. @throws AppError BAD_REQUEST */
export async function setActionSwitch(
  prisma: PrismaClient,
  audit: AuditContext,
  { action, off, reason }: { action: Action; off: boolean; reason: string },
): Promise<void> {
  if (!SWITCHABLE.includes(action)) throw new AppError("BAD_REQUEST", "This action has no kill switch.");
  await prisma.$transaction(async tx => {
    const before = await tx.actionSwitch.findUnique({ where: { action } });
    const state = { off, reason, setBy: audit.actor.name, since: new Date() };
    await tx.actionSwitch.upsert({ where: { action }, create: { action, ...state }, update: state });
    await writeAudit(tx, audit, {
      target: `switch:${action}`,
      before: { off: before?.off ?? false },
      after: { off },
      reason,
    });
  });
}
