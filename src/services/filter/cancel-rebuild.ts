import { AppError } from "../../domain/app-error";
import { CANDIDATE_STATES } from "../../domain/filter/filter-version";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { changeRollout, findVersion, moveVersion, versionTarget } from "./change-rollout";

/**
 * Cancels a version before its promotion, in any state. The worker stops its task within about a second
 * and removes its keys.
 * @throws AppError NOT_FOUND | CONFLICT
 */
export async function cancelRebuild(
  prisma: PrismaClient,
  audit: AuditContext,
  { version, reason }: { version: number; reason: string },
): Promise<void> {
  await changeRollout(prisma, null, async tx => {
    const { state } = await findVersion(tx, version);
    if (!CANDIDATE_STATES.includes(state)) {
      throw new AppError(
        "CONFLICT",
        `v${version} is ${state}. Only a version before its promotion can be cancelled.`,
      );
    }
    await moveVersion(tx, { version, from: state, to: "discarding" }, CANDIDATE_CLEARED);
    await writeAudit(tx, audit, {
      target: versionTarget(version),
      before: { state },
      after: { state: "discarding" },
      reason,
    });
  });
}

/** Column values of a version that is no candidate any more. */
export const CANDIDATE_CLEARED = {
  shadowPercent: 0,
  canaryPercent: 0,
  armedUntil: null,
  armedBy: null,
  verifyRequest: null,
};
