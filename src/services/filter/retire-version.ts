import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { changeRollout, findVersion, moveVersion, versionInState, versionTarget } from "./change-rollout";

/**
 * Retires the previous version: the worker removes its keys, and a rollback is not possible any more.
 * @throws AppError NOT_FOUND | CONFLICT
 */
export async function retireVersion(
  prisma: PrismaClient,
  audit: AuditContext,
  { version, revision, reason }: { version: number; revision: number; reason: string },
): Promise<void> {
  await changeRollout(prisma, revision, async tx => {
    const { state } = await findVersion(tx, version);
    if (state === "active") {
      throw new AppError(
        "CONFLICT",
        `v${version} is active, so readers follow it. Promote another version first.`,
      );
    }
    if (state !== "previous") throw new AppError("CONFLICT", `v${version} is ${state}: it can't be retired.`);
    const active = await versionInState(tx, "active");
    if (active && !active.switchedAt) {
      throw new AppError(
        "CONFLICT",
        `Readers still follow v${version}. Wait until they follow v${active.version}.`,
      );
    }
    await moveVersion(tx, { version, from: "previous", to: "retiring" });
    await writeAudit(tx, audit, {
      target: versionTarget(version),
      before: { state },
      after: { state: "retiring" },
      reason,
    });
  });
}
