import { AppError } from "../../domain/app-error";
import { blockingGates, type GateName } from "../../domain/filter/filter-gates";
import type { PrismaClient, Tx } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { GIVEN_UP } from "./cancel-rebuild";
import { changeRollout, findVersion, moveVersion, versionInState, versionTarget } from "./change-rollout";
import { readGateTotals } from "./read-gate-totals";
import { type GateDeps, readGates } from "./read-gates";

export type PromoteDeps = GateDeps & {
  prisma: PrismaClient;
  /** How many people must agree: 1 or 2. */
  approvals: number;
  /** How long it is watched against the time before, ready to go back by itself. */
  bakeMinutes: number;
};

export type Promotion = {
  version: number;
  /** The revision that was looked at; null for the worker, which looks and decides in one go. */
  revision: number | null;
  /** Gates to do without, if they have no data and may be waived. */
  waive: readonly GateName[];
  /** Only these gates count: nobody can be served worse than now. For the worker alone. */
  only?: readonly GateName[];
  reason: string;
};

const BASELINE_MS = 5 * 60_000;

/**
 * Readers follow this version from now on; the worker tells them within a second. The one before
 * is kept for a rollback, and the one before that is retired.
 * @returns `approved` when a second person has to agree
 * @throws AppError NOT_FOUND | CONFLICT with the gates that stand in the way
 */
export async function promoteVersion(
  deps: PromoteDeps,
  audit: AuditContext,
  { version, revision, waive, only, reason }: Promotion,
): Promise<{ outcome: "promoted" | "approved" }> {
  const found = await deps.prisma.filterVersion.findUnique({ where: { version } });
  if (!found) throw new AppError("NOT_FOUND", `There is no filter version v${version}.`);
  // Redis is asked before the transaction, never inside it.
  const gates = await readGates(deps, found);
  const toMs = Date.now();
  const baseline = await readGateTotals(deps.redis, { fromMs: toMs - BASELINE_MS, toMs }).catch(() => null);

  return changeRollout(deps.prisma, revision, async tx => {
    const candidate = await findVersion(tx, version);
    if (candidate.state !== "ready" && candidate.state !== "previous") {
      throw new AppError("CONFLICT", `v${version} is ${candidate.state}: it can't be promoted.`);
    }
    if (candidate.failure !== null) {
      throw new AppError(
        "CONFLICT",
        `v${version} was left because it is damaged (${candidate.failure}). Verify every row of it first.`,
      );
    }
    const blocking = blockingGates(gates, waive).filter(({ name }) => !only || only.includes(name));
    if (blocking.length > 0) {
      const why = blocking.map(gate => `${gate.title}: ${gate.verdict} (${gate.value})`).join("; ");
      throw new AppError("CONFLICT", `v${version} can't be promoted. ${why}`, {
        gates: blocking.map(gate => gate.name),
      });
    }
    if (deps.approvals > 1 && audit.actor.kind === "token") {
      throw new AppError("FORBIDDEN", "Where two people must agree, a service token can't promote.");
    }
    if (deps.approvals > 1 && needsAnother(candidate.approvedBy, audit)) {
      await tx.filterVersion.update({ where: { version }, data: { approvedBy: audit.actor.name } });
      await writeAudit(tx, audit, {
        target: versionTarget(version),
        after: { approvedBy: audit.actor.name },
        reason,
      });
      return { outcome: "approved" as const };
    }
    const room = await makeRoom(tx, version, {
      // Made because what there was does not do any more.
      keep: !(candidate.autoPromote && candidate.state === "ready"),
    });
    await moveVersion(
      tx,
      { version, from: candidate.state, to: "active" },
      {
        ...GIVEN_UP,
        ...{ activatedAt: new Date(), switchedAt: null, approvedBy: null },
        baseline: baseline ?? undefined,
        bakeUntil: room.previous ? new Date(toMs + deps.bakeMinutes * 60_000) : null,
      },
    );
    await writeAudit(tx, audit, {
      target: versionTarget(version),
      before: { active: room.replaced },
      after: {
        active: version,
        previous: room.previous,
        retiring: room.retiring,
        gates: gates.map(({ name, verdict, value }) => ({ name, verdict, value })),
      },
      reason,
    });
    return { outcome: "promoted" as const };
  });
}

/** The worker acts on a decision of somebody; it never is one of two people. */
function needsAnother(approvedBy: string | null, audit: AuditContext): boolean {
  if (audit.actor.kind === "system") return false;
  return approvedBy === null || approvedBy === audit.actor.name;
}

/** `replaced` was active; `previous` is what can be gone back to. */
type Room = { replaced: number | null; previous: number | null; retiring: number[] };

/**
 * The active version becomes the previous one, and the previous one, if it is another, is retired.
 * `keep` false: the active one is of no use any more, not even to go back to.
 */
async function makeRoom(tx: Tx, version: number, { keep }: { keep: boolean }): Promise<Room> {
  const active = await versionInState(tx, "active");
  const previous = await versionInState(tx, "previous");
  const room: Room = { replaced: active?.version ?? null, previous: null, retiring: [] };
  const retire = async (old: number) => {
    await moveVersion(tx, { version: old, from: "previous", to: "retiring" });
    room.retiring.push(old);
  };
  if (previous && previous.version !== version) await retire(previous.version);
  if (!active) return room;
  await moveVersion(tx, { version: active.version, from: "active", to: "previous" }, { bakeUntil: null });
  if (keep) room.previous = active.version;
  else await retire(active.version);
  return room;
}
