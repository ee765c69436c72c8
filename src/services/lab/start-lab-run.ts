import { AppError } from "../../domain/app-error";
import type { KeyChoice, ScenarioOptions } from "../../domain/lab/scenario";
import type { PrismaClient } from "../../store/postgres";
import { violatedConstraint } from "../../store/unique-violation";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { failAbandonedRuns } from "./fail-abandoned-runs";
import { labTarget } from "./lab-row";

/** A worker looks several times a second: in so long there is none. */
const TAKEN_WITHIN_MS = 10_000;

export type StartLabRun = { options: ScenarioOptions; choices: readonly KeyChoice[] };

/**
 * Asks the lab's worker for a run.
 * @throws AppError CONFLICT while another one goes on
 */
export async function startLabRun(
  prisma: PrismaClient,
  audit: AuditContext,
  { options, choices }: StartLabRun,
): Promise<{ id: string }> {
  await failAbandonedRuns(prisma);
  try {
    return await prisma.$transaction(async tx => {
      const { id } = await tx.labRun.create({
        data: {
          options,
          choices: [...choices],
          requestedBy: audit.actor.name,
          leaseUntil: new Date(Date.now() + TAKEN_WITHIN_MS),
        },
        select: { id: true },
      });
      const answer = { id: String(id) };
      const after = { ...options, choices: [...choices] };
      await writeAudit(tx, audit, { target: labTarget(id), after, answer });
      return answer;
    });
  } catch (error) {
    if (violatedConstraint(error) === null) throw error;
    const other = await prisma.labRun.findFirst({
      where: { state: { in: ["requested", "running"] } },
      select: { requestedBy: true },
    });
    const whose = other ? `${other.requestedBy}'s run` : "Another run";
    throw new AppError("CONFLICT", `${whose} is going on; the lab does one at a time.`);
  }
}
