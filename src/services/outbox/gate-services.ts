import type { Engines } from "../../filter/detect-engine";
import { listDeadLetters, type OutboxStatus, readOutboxStatus } from "../../outbox/dead-letters";
import type { Pool, PrismaClient } from "../../store/postgres";
import { readAnnotations } from "../audit/read-annotations";
import { readAuditNews } from "../audit/watch-audit";
import type { AuditContext } from "../audit/write-audit";
import type { ReservedWords } from "../reserved-words/reserved-words";
import { traceName } from "../username/trace-name";
import { outboxAlerts } from "./outbox-alerts";
import { replayDeadLetters } from "./replay-dead-letters";

export type GateServicesDeps = {
  pool: Pool;
  prisma: PrismaClient;
  engines: Engines;
  reserved: ReservedWords;
};

/** However many consoles are open, the outbox is measured once in so long. */
const STATUS_MS = 900;

/** What the console's gate pages can ask and do. */
export function createGateServices(deps: GateServicesDeps) {
  let status: { at: number; read: Promise<OutboxStatus> } | undefined;
  return {
    outboxStatus(): Promise<OutboxStatus> {
      if (!status || Date.now() - status.at > STATUS_MS) {
        const read = readOutboxStatus(deps.pool);
        status = { at: Date.now(), read };
        // Forgotten when it failed, so that the next one asks again.
        read.catch(() => {
          status = undefined;
        });
      }
      return status.read;
    },
    deadLetters: (page: { page: number; pageSize: number }) => listDeadLetters(deps.pool, page),
    replayDeadLetters: (audit: AuditContext, input: { seqs: string[]; reason: string }) =>
      replayDeadLetters(deps.prisma, audit, input),
    traceName: (name: string) => traceName(deps, name),
    async outboxAlerts() {
      return outboxAlerts(await this.outboxStatus().catch(() => null));
    },
    annotations: (range: { from: Date; to: Date }) => readAnnotations(deps.prisma, range),
    auditNews: (cursor: string | undefined) => readAuditNews(deps.prisma, cursor),
  };
}

export type GateServices = ReturnType<typeof createGateServices>;
