import type { VerificationReport } from "../domain/filter/filter-gates";
import type { VersionState } from "../domain/filter/filter-version";
import type { AuditContext } from "../services/audit/write-audit";
import type { PrismaClient } from "../store/postgres";

export function byOperator(name: string): AuditContext {
  return {
    actor: { kind: "user", id: null, name, role: "operator" },
    action: "filter.test",
    requestId: "r-1",
    address: "192.0.2.1",
  };
}

/** A recent verification that passes every gate. */
export function passingReport(): VerificationReport {
  return {
    scope: "sample",
    finishedAt: new Date().toISOString(),
    tookMs: 5,
    shards: { sealed: 256, full: 0, broken: [] },
    rows: { checked: 3_000, missed: 0, unproven: 0, missedShards: [] },
    absent: { checked: 50_000, maybe: 400 },
  };
}

/** The row of a version, without keys in Redis. An active version has switchedAt. */
export async function insertVersionRow(
  prisma: PrismaClient,
  row: { version: number; state: VersionState; [column: string]: unknown },
): Promise<void> {
  await prisma.filterVersion.create({
    data: {
      engine: "bitmap",
      shardCapacity: 500,
      errorRate: 0.01,
      report: passingReport(),
      switchedAt: row.state === "active" ? new Date() : null,
      ...row,
    },
  });
}

/** The revision that a decision must pass. */
export async function rolloutRevision(prisma: PrismaClient): Promise<number> {
  return Number((await prisma.filterRollout.findUniqueOrThrow({ where: { id: 1 } })).revision);
}
