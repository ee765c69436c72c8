import type { Prisma, Tx } from "../../store/postgres";

/** Who acts, as the audit log names them. `anonymous`: not signed in. */
export type AuditActor = {
  kind: "user" | "token" | "cli" | "system" | "anonymous";
  id: string | null;
  name: string;
  role: string | null;
};

/** Who does what, in which request: handed to every service that changes something. */
export type AuditContext = {
  actor: AuditActor;
  action: string;
  requestId: string | null;
  address: string | null;
};

export type AuditOutcome = "ok" | "refused" | "failed";

export type AuditNote = {
  /** Such as `user:alice`. */
  target: string | null;
  before?: Prisma.InputJsonValue;
  after?: Prisma.InputJsonValue;
  reason?: string | null;
  outcome?: AuditOutcome;
};

/** Adds the row of a change; `tx` is the transaction of the change itself. */
export async function writeAudit(tx: Tx, audit: AuditContext, note: AuditNote): Promise<void> {
  await tx.auditEntry.create({
    data: {
      actorKind: audit.actor.kind,
      actorId: audit.actor.id,
      actorName: audit.actor.name,
      role: audit.actor.role,
      action: audit.action,
      target: note.target,
      before: note.before,
      after: note.after,
      reason: note.reason ?? null,
      outcome: note.outcome ?? "ok",
      requestId: audit.requestId,
      address: audit.address,
    },
    select: { id: true },
  });
}
