import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { changeRollout, findVersion, versionTarget } from "./change-rollout";

/**
 * Arms a promotion: the worker promotes the version when every gate passes, until the deadline.
 * `minutes` null disarms it.
 * @throws AppError NOT_FOUND | CONFLICT
 */
export async function armPromotion(
  prisma: PrismaClient,
  audit: AuditContext,
  input: { version: number; minutes: number | null; revision: number; reason: string },
  approvals = 1,
): Promise<{ armedUntil: string | null }> {
  const { version, minutes, revision, reason } = input;
  return changeRollout(prisma, revision, async tx => {
    const before = await findVersion(tx, version);
    if (before.state !== "ready") {
      throw new AppError("CONFLICT", `v${version} is ${before.state}. Only a ready version can be armed.`);
    }
    // Arming counts as the second approval: the worker promotes without another one.
    const isAgreed = before.approvedBy !== null && before.approvedBy !== audit.actor.name;
    if (minutes !== null && approvals > 1 && (audit.actor.kind !== "user" || !isAgreed)) {
      throw new AppError(
        "CONFLICT",
        `Two people must approve. Another operator must promote v${version} first, then arm it.`,
      );
    }
    const armedUntil = minutes === null ? null : new Date(Date.now() + minutes * 60_000);
    await tx.filterVersion.update({
      where: { version },
      data: { armedUntil, armedBy: armedUntil && audit.actor.name },
    });
    const answer = { armedUntil: armedUntil?.toISOString() ?? null };
    await writeAudit(tx, audit, {
      target: versionTarget(version),
      before: { armedUntil: before.armedUntil?.toISOString() ?? null },
      after: answer,
      reason,
      answer,
    });
    return answer;
  });
}
