import { AppError } from "../../domain/app-error";
import type { PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { changeRollout, findVersion, versionTarget } from "./change-rollout";

const VERIFIABLE = ["ready", "active", "previous"];

/**
 * Requests another verification of a version by the worker.
 * @throws AppError NOT_FOUND | CONFLICT
 */
export async function requestVerification(
  prisma: PrismaClient,
  audit: AuditContext,
  { version, scope, reason }: { version: number; scope: "sample" | "every-row"; reason: string },
): Promise<void> {
  await changeRollout(prisma, null, async tx => {
    const { state, verifyRequest } = await findVersion(tx, version);
    if (!VERIFIABLE.includes(state)) {
      throw new AppError(
        "CONFLICT",
        `v${version} is ${state}. Only a ready, active or previous version can be verified.`,
      );
    }
    if (verifyRequest !== null) throw new AppError("CONFLICT", `v${version} is being verified already.`);
    await tx.filterVersion.update({ where: { version }, data: { verifyRequest: scope } });
    await writeAudit(tx, audit, { target: versionTarget(version), after: { verify: scope }, reason });
  });
}
