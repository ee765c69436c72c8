import type { PrismaClient } from "../../store/postgres";
import type { AuditContext } from "../audit/write-audit";
import { readOnce } from "../read-once";
import { cancelLabRun } from "./cancel-lab-run";
import { readLabStatus } from "./read-lab-status";
import { type StartLabRun, startLabRun } from "./start-lab-run";

/** All open consoles together read the runs once in this interval. */
const STATUS_MS = 400;

/** Queries and actions of the scenario lab; its worker runs the scenarios. */
export function createLabServices(prisma: PrismaClient) {
  const status = readOnce(STATUS_MS, () => readLabStatus(prisma));
  return {
    status: status.read,
    async start(audit: AuditContext, run: StartLabRun) {
      const { id } = await startLabRun(prisma, audit, run);
      status.forget();
      return { id };
    },
    async cancel(audit: AuditContext, id: string) {
      await cancelLabRun(prisma, audit, BigInt(id));
      status.forget();
      return { ok: true as const };
    },
  };
}

export type LabServices = ReturnType<typeof createLabServices>;
