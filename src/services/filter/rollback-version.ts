import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { changeRollout, moveVersion, versionInState, versionTarget } from "./change-rollout";

export type Rollback = {
  revision: number | null;
  reason: string;
  /** Only if this version is active still. */
  expected?: number;
  /** The active version was found to be damaged: it must be verified anew before it may come back. */
  damaged?: boolean;
};

/**
 * The same flip the other way: readers follow the previous version again. It was kept fresh by the
 * relays all the time.
 * @returns the version that readers follow now
 * @throws AppError CONFLICT when there is none to go back to
 */
export async function rollbackVersion(
  prisma: PrismaClient,
  audit: AuditContext,
  { revision, reason, expected, damaged = false }: Rollback,
): Promise<number> {
  return changeRollout(prisma, revision, async tx => {
    const [active, previous] = [await versionInState(tx, "active"), await versionInState(tx, "previous")];
    if (!active || !previous) {
      throw new AppError("CONFLICT", "There is no previous version to go back to: it was retired.");
    }
    if (expected !== undefined && active.version !== expected) {
      throw new AppError("CONFLICT", `v${expected} is not active any more.`);
    }
    if (previous.failure !== null) {
      throw new AppError(
        "CONFLICT",
        `v${previous.version} was rolled back itself (${previous.failure}). Verify every row of it, then promote it.`,
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
    });
    return previous.version;
  });
}
