import type { PrismaClient } from "../store/postgres";
import { cancelLabRun } from "./lab/cancel-lab-run";
import { type LabStatus, readLabStatus } from "./lab/read-lab-status";
import { type StartLabRun, startLabRun } from "./lab/start-lab-run";
import type { By } from "./write-audit";

/** However many look, the runs are read once in so long. */
const STATUS_MS = 400;

/** What people do with the scenario lab; its worker carries it out. */
export function createLabServices(prisma: PrismaClient) {
  let last: { atMs: number; read: Promise<LabStatus> } | undefined;
  return {
    status(): Promise<LabStatus> {
      if (!last || Date.now() - last.atMs > STATUS_MS) {
        const read = readLabStatus(prisma);
        last = { atMs: Date.now(), read };
        read.catch(() => {
          last = undefined;
        });
      }
      return last.read;
    },
    async start(by: By, run: StartLabRun) {
      const { id } = await startLabRun(prisma, by, run);
      last = undefined;
      return { id };
    },
    async cancel(by: By, id: string) {
      await cancelLabRun(prisma, by, BigInt(id));
      last = undefined;
      return { ok: true as const };
    },
  };
}

export type LabServices = ReturnType<typeof createLabServices>;
