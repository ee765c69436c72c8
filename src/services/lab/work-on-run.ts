import type { LabResults } from "../../domain/lab/lab-run";
import type { Pool, Prisma, PrismaClient } from "../../store/postgres";
import { type LabRow, readLabRow, type StoredProgress } from "./lab-row";

/** A worker that says nothing for so long is taken for dead. */
const LEASE_MS = 10_000;
/** Runs that are kept once they have ended. */
export const KEPT_RUNS = 8;

/** What the lab's worker writes; every step holds only as long as the run is still this worker's. */
export class ClaimedRun {
  private constructor(
    private readonly prisma: PrismaClient,
    readonly run: LabRow,
    private readonly owner: string,
  ) {}

  /** Takes up the run that waits, if one does. */
  static async take(prisma: PrismaClient, owner: string): Promise<ClaimedRun | null> {
    const [taken] = await prisma.labRun.updateManyAndReturn({
      where: { state: "requested", leaseUntil: { gt: new Date() } },
      data: { state: "running", owner, startedAt: new Date(), leaseUntil: leaseUntil() },
    });
    return taken ? new ClaimedRun(prisma, readLabRow(taken), owner) : null;
  }

  /** Keeps the lease and says how far it is. Resolves to whether to go on. */
  async report(progress: StoredProgress, results: LabResults): Promise<boolean> {
    const [row] = await this.prisma.labRun.updateManyAndReturn({
      where: this.mine,
      data: { progress: toJson(progress), results: toJson(results), leaseUntil: leaseUntil() },
      select: { cancelRequestedBy: true },
    });
    return row !== undefined && row.cancelRequestedBy === null;
  }

  /** Ends the run in any state; of older runs only the last few stay. */
  async end(
    state: "done" | "cancelled" | "failed",
    { results, failure = null }: { results: LabResults; failure?: string | null },
  ): Promise<void> {
    await this.prisma.labRun.updateMany({
      where: this.mine,
      data: { state, failure, results: toJson(results), endedAt: new Date() },
    });
    await pruneRuns(this.prisma);
  }

  private get mine() {
    return { id: this.run.id, owner: this.owner, state: "running" };
  }
}

/** A cheap look, for every second. */
export async function isRunRequested(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: "lab-requested",
    text: "SELECT FROM lab_runs WHERE state = 'requested' LIMIT 1",
  });
  return rowCount === 1;
}

/** Runs that have ended and whose keys still exist. */
export async function listLeftovers(prisma: PrismaClient): Promise<LabRow[]> {
  const ended = await prisma.labRun.findMany({ where: { endedAt: { not: null } }, orderBy: { id: "desc" } });
  return ended.map(readLabRow).filter(({ progress }) => progress !== null);
}

export async function forgetSandbox(prisma: PrismaClient, id: bigint): Promise<void> {
  await prisma.$executeRaw`UPDATE lab_runs SET progress = NULL WHERE id = ${id}`;
}

async function pruneRuns(prisma: PrismaClient): Promise<void> {
  const old = await prisma.labRun.findMany({
    orderBy: { id: "desc" },
    skip: KEPT_RUNS,
    take: 100,
    select: { id: true },
    where: { endedAt: { not: null } },
  });
  if (old.length > 0) await prisma.labRun.deleteMany({ where: { id: { in: old.map(({ id }) => id) } } });
}

const leaseUntil = () => new Date(Date.now() + LEASE_MS);
const toJson = (value: object) => value as Prisma.InputJsonObject;
