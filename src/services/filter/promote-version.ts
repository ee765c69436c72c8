import { AppError } from "../../domain/app-error";
import { blockingGates, type Gate, type GateName } from "../../domain/filter/filter-gates";
import type { PrismaClient, Tx } from "../../store/postgres";
import { type AuditContext, writeAudit } from "../audit/write-audit";
import { CANDIDATE_CLEARED } from "./cancel-rebuild";
import { changeRollout, findVersion, moveVersion, versionInState, versionTarget } from "./change-rollout";
import { readGateTotals } from "./read-gate-totals";
import { type GateDeps, readGates } from "./read-gates";

export type PromoteDeps = GateDeps & {
  prisma: PrismaClient;
  /** Required approvals: 1 or 2. */
  approvals: number;
  /** Length of the bake, in which the worker compares with the baseline and may roll back. */
  bakeMinutes: number;
};

export type Promotion = {
  version: number;
  /** The revision on the operator's screen; null for the worker. */
  revision: number | null;
  /** Gates that the operator waives; this has an effect on waivable gates without data. */
  waive: readonly GateName[];
  /** Only these gates count, because no other version can answer. For the worker alone. */
  only?: readonly GateName[];
  reason: string;
};

const BASELINE_MS = 5 * 60_000;

/**
 * Makes a version active; the worker publishes the pointer within a second. The active version becomes
 * the previous one, for a rollback; the previous version is retired.
 * @returns `approved` when a second approval is required
 * @throws AppError NOT_FOUND | CONFLICT with the blocking gates
 */
export async function promoteVersion(
  deps: PromoteDeps,
  audit: AuditContext,
  promotion: Promotion,
): Promise<{ outcome: "promoted" | "approved" }> {
  const { version, revision, reason } = promotion;
  const found = await deps.prisma.filterVersion.findUnique({ where: { version } });
  if (!found) throw new AppError("NOT_FOUND", `There is no filter version v${version}.`);
  // Redis is read before the transaction, never inside it.
  const gates = await readGates(deps, found);
  const toMs = Date.now();
  const baseline = await readGateTotals(deps.redis, { fromMs: toMs - BASELINE_MS, toMs }).catch(() => null);

  return changeRollout(deps.prisma, revision, async tx => {
    const candidate = await findVersion(tx, version);
    requirePromotable(candidate);
    requireGates(gates, promotion);
    if (deps.approvals > 1 && needsApproval(candidate.approvedBy, audit)) {
      await approve(tx, audit, promotion);
      return { outcome: "approved" as const };
    }
    const replaced = await replaceActive(tx, candidate);
    await moveVersion(
      tx,
      { version, from: candidate.state, to: "active" },
      {
        ...CANDIDATE_CLEARED,
        activatedAt: new Date(),
        switchedAt: null,
        approvedBy: null,
        baseline: baseline ?? undefined,
        bakeUntil: replaced.previous ? new Date(toMs + deps.bakeMinutes * 60_000) : null,
      },
    );
    await writeAudit(tx, audit, {
      target: versionTarget(version),
      before: { active: replaced.active },
      after: {
        active: version,
        previous: replaced.previous,
        retiring: replaced.retiring,
        gates: gates.map(({ name, verdict, value }) => ({ name, verdict, value })),
      },
      reason,
      answer: { outcome: "promoted" },
    });
    return { outcome: "promoted" as const };
  });
}

type Candidate = Awaited<ReturnType<typeof findVersion>>;

function requirePromotable({ version, state, failure }: Candidate): void {
  if (state !== "ready" && state !== "previous") {
    throw new AppError("CONFLICT", `v${version} is ${state}: it can't be promoted.`);
  }
  if (failure !== null) {
    throw new AppError(
      "CONFLICT",
      `v${version} was rolled back because it is damaged (${failure}). Verify every row of it first.`,
    );
  }
}

function requireGates(gates: readonly Gate[], { version, waive, only }: Promotion): void {
  const blocking = blockingGates(gates, waive).filter(({ name }) => !only || only.includes(name));
  if (blocking.length === 0) return;
  const reasons = blocking.map(gate => `${gate.title}: ${gate.verdict} (${gate.value})`).join("; ");
  throw new AppError("CONFLICT", `v${version} can't be promoted. ${reasons}`, {
    gates: blocking.map(gate => gate.name),
  });
}

/**
 * The worker carries out a decision of an operator, so it needs no second approval.
 * @throws AppError FORBIDDEN for a service token, which is no person
 */
function needsApproval(approvedBy: string | null, { actor }: AuditContext): boolean {
  if (actor.kind === "token") {
    throw new AppError("FORBIDDEN", "Two people must approve. A service token can't promote.");
  }
  if (actor.kind === "system") return false;
  return approvedBy === null || approvedBy === actor.name;
}

async function approve(tx: Tx, audit: AuditContext, { version, reason }: Promotion): Promise<void> {
  const approvedBy = audit.actor.name;
  await tx.filterVersion.update({ where: { version }, data: { approvedBy } });
  const answer = { outcome: "approved" };
  await writeAudit(tx, audit, { target: versionTarget(version), after: { approvedBy }, reason, answer });
}

/** `active`: the replaced version. `previous`: the new rollback target. */
type Replaced = { active: number | null; previous: number | null; retiring: number[] };

/** The active version becomes the previous version; another previous version is retired. */
async function replaceActive(tx: Tx, candidate: Candidate): Promise<Replaced> {
  const active = await versionInState(tx, "active");
  const previous = await versionInState(tx, "previous");
  const replaced: Replaced = { active: active?.version ?? null, previous: null, retiring: [] };
  const retire = async (version: number) => {
    await moveVersion(tx, { version, from: "previous", to: "retiring" });
    replaced.retiring.push(version);
  };
  if (previous && previous.version !== candidate.version) await retire(previous.version);
  if (!active) return replaced;
  await moveVersion(tx, { version: active.version, from: "active", to: "previous" }, { bakeUntil: null });
  // An automatic promotion replaces a version that can't be used, not even for a rollback.
  if (candidate.autoPromote && candidate.state === "ready") await retire(active.version);
  else replaced.previous = active.version;
  return replaced;
}
