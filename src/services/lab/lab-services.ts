import type { PrismaClient } from "../../store/postgres";
import type { AuditContext } from "../audit/write-audit";
import { readOnce } from "../read-once";
import { cancelLabRun } from "./cancel-lab-run";
import { readLabStatus } from "./read-lab-status";
import { type StartLabRun, startLabRun } from "./start-lab-run";

/** However many look, the runs are read once in so long. */
const STATUS_MS = 400;

/** What people do with the scenario lab; its worker carries it out. */
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
