import { AppError } from "../../domain/app-error";
import { CANDIDATE_STATES } from "../../domain/filter/filter-version";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { changeRollout, findVersion, moveVersion, versionTarget } from "./change-rollout";

/**
 * Gives up a version that nobody follows, at whatever it is; the worker stops within about a second
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
      throw new AppError("CONFLICT", `v${version} is ${state}: there is nothing to cancel.`);
    }
    await moveVersion(tx, { version, from: state, to: "discarding" }, GIVEN_UP);
    await writeAudit(tx, audit, {
      target: versionTarget(version),
      before: { state },
      after: { state: "discarding" },
      reason,
    });
  });
}

/** What no longer holds for a version that goes. */
export const GIVEN_UP = {
  shadowPercent: 0,
  canaryPercent: 0,
  armedUntil: null,
  armedBy: null,
  verifyRequest: null,
};
