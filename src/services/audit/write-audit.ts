import type { Prisma, Tx } from "../../store/postgres";
import { DONE, type Intent, storeAnswer } from "../idempotency/stored-answer";

/** The actor of an audit row. `anonymous`: a request without a session or token. */
export type AuditActor = {
  kind: "user" | "token" | "cli" | "system" | "anonymous";
  id: string | null;
  name: string;
  role: string | null;
};

/** Actor, action and request of a change: a parameter of every service that changes data. */
export type AuditContext = {
  actor: AuditActor;
  action: string;
  requestId: string | null;
  address: string | null;
  /** Of a request with an idempotency key. */
  intent?: Intent;
};

export type AuditOutcome = "ok" | "refused" | "failed";

export type AuditNote = {
  /** Such as `user:alice`. */
  target: string | null;
  before?: Prisma.InputJsonValue;
  after?: Prisma.InputJsonValue;
  reason?: string | null;
  outcome?: AuditOutcome;
  /** What the procedure answers, for a repeat of the request; `{ ok: true }` unless given. Null: not known yet. */
  answer?: Prisma.InputJsonValue | null;
};

/** Writes the row of a change, and the answer for its repeat; `tx` is the transaction of the change. */
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
  const { outcome = "ok", answer = DONE } = note;
  if (audit.intent && outcome === "ok") await storeAnswer(tx, audit.intent, answer);
}
