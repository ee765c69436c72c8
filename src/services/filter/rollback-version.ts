import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { changeRollout, moveVersion, versionInState, versionTarget } from "./change-rollout";

export type Rollback = {
  revision: number | null;
  reason: string;
  /** Roll back only while this version is active. */
  expected?: number;
  /** The active version is damaged: it must be verified again before its next promotion. */
  damaged?: boolean;
};

/**
 * Makes the previous version active again. Relays have kept it current.
 * @throws AppError CONFLICT when there is no rollback target
 */
export async function rollbackVersion(
  prisma: PrismaClient,
  audit: AuditContext,
  { revision, reason, expected, damaged = false }: Rollback,
): Promise<{ active: number }> {
  return changeRollout(prisma, revision, async tx => {
    const [active, previous] = [await versionInState(tx, "active"), await versionInState(tx, "previous")];
    if (!active || !previous) {
      throw new AppError(
        "CONFLICT",
        "There is no previous version: it was retired. Promote another version instead.",
      );
    }
    if (expected !== undefined && active.version !== expected) {
      throw new AppError("CONFLICT", `v${expected} is not active any more.`);
    }
    if (previous.failure !== null) {
      throw new AppError(
        "CONFLICT",
        `v${previous.version} is damaged (${previous.failure}). Verify every row of it, then promote it.`,
      );
    }
    await moveVersion(
      tx,
      { version: active.version, from: "active", to: "previous" },
      { bakeUntil: null, ...(damaged ? { failure: reason } : {}) },
    );
    if (damaged) {
      await tx.$executeRaw`UPDATE filter_versions SET report = NULL WHERE version = ${active.version}`;
    }
    await moveVersion(
      tx,
      { version: previous.version, from: "previous", to: "active" },
      { activatedAt: new Date(), switchedAt: null, bakeUntil: null },
    );
    await writeAudit(tx, audit, {
      target: versionTarget(active.version),
      before: { active: active.version },
      after: { active: previous.version },
      reason,
      answer: { active: previous.version },
    });
    return { active: previous.version };
  });
}
