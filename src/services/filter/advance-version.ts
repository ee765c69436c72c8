import type { VersionState } from "../../domain/filter/filter-version";
import type { Prisma, PrismaClient } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { changeRollout, moveVersion, versionTarget } from "./change-rollout";

/** The filter worker as the actor of an audit row. */
export function bySystem(action: string): AuditContext {
  const actor = { kind: "system" as const, id: null, name: "filter worker", role: null };
  return { actor, action, requestId: null, address: null };
}

export type Advance = {
  version: number;
  from: VersionState;
  to: VersionState;
  /** Other columns that change with the state. */
  data?: Prisma.FilterVersionUpdateManyMutationInput;
  reason: string;
};

/**
 * A state transition by the filter worker.
 * @throws AppError CONFLICT when the version is not in `from` any more, because it was cancelled
 */
export async function advanceVersion(prisma: PrismaClient, step: Advance): Promise<void> {
  const { version, from, to, data, reason } = step;
  await changeRollout(prisma, null, async tx => {
    await moveVersion(tx, { version, from, to }, data);
    await writeAudit(tx, bySystem("filter.advance"), {
      target: versionTarget(version),
      before: { state: from },
      after: { state: to },
      reason,
      outcome: to === "failed" || (to === "discarding" && data?.failure) ? "failed" : "ok",
    });
  });
}
