import type { ReplicationSlots } from "../../domain/replication/replication-slot";
import type { Engines } from "../../filter/detect-engine";
import { listDeadLetters, type OutboxStatus, readOutboxStatus } from "../../outbox/dead-letters";
import type { Pool, PrismaClient } from "../../store/postgres";
import { readAnnotations } from "../audit/read-annotations";
import { readAuditChanges } from "../audit/read-audit-changes";
import type { AuditContext } from "../audit/write-audit";
import { readOnce } from "../read-once";
import type { ReservedWords } from "../reserved-words/reserved-words";
import { traceName } from "../username/trace-name";
import { outboxAlerts } from "./outbox-alerts";
import { replayDeadLetters } from "./replay-dead-letters";

export type GateServicesDeps = {
  pool: Pool;
  prisma: PrismaClient;
  engines: Engines;
  reserved: ReservedWords;
  /** Null while they are unknown. */
  slots: () => ReplicationSlots | null;
};

/** The outbox, and the replication slots of its database's server. */
export type OutboxPageStatus = OutboxStatus & { replication: ReplicationSlots | null };

/** All open consoles together read the outbox once in this interval. */
const STATUS_MS = 900;

/** Queries and actions of the console's gate pages. */
export function createGateServices(deps: GateServicesDeps) {
  const status = readOnce(STATUS_MS, () => readOutboxStatus(deps.pool));
  return {
    async outboxStatus(): Promise<OutboxPageStatus> {
      const outbox = await status.read();
      return { ...outbox, replication: deps.slots() };
    },
    deadLetters: (page: { page: number; pageSize: number }) => listDeadLetters(deps.pool, page),
    replayDeadLetters: (audit: AuditContext, input: { seqs: string[]; reason: string }) =>
      replayDeadLetters(deps.prisma, audit, input),
    traceName: (name: string) => traceName(deps, name),
    async outboxAlerts() {
      return outboxAlerts(await status.read().catch(() => null));
    },
    annotations: (range: { from: Date; to: Date }) => readAnnotations(deps.prisma, range),
    auditChanges: (cursor: string | undefined) => readAuditChanges(deps.prisma, cursor),
  };
}

export type GateServices = ReturnType<typeof createGateServices>;
