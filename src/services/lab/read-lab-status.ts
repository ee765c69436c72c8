import { isOpenRun, type LabProgress } from "../../domain/lab/lab-run";
import type { PrismaClient } from "../../store/postgres";
import { failAbandonedRuns } from "./fail-abandoned-runs";
import { type LabRow, readLabRow } from "./lab-row";
import { KEPT_RUNS } from "./work-on-run";

export type LabStatus = {
  /** The run that waits or is at work. */
  current: LabRunView | null;
  /** Those that have ended, newest first. */
  runs: LabRunView[];
};

export type LabRunView = ReturnType<typeof toView>;

/** The open run and the last ones, as they are now. */
export async function readLabStatus(prisma: PrismaClient): Promise<LabStatus> {
  let rows = await readRows(prisma);
  if (rows.some(({ state, leaseUntil }) => isOpenRun(state) && leaseUntil < new Date())) {
    await failAbandonedRuns(prisma);
    rows = await readRows(prisma);
  }
  const views = rows.map(toView);
  return {
    current: views.find(({ state }) => isOpenRun(state)) ?? null,
    runs: views.filter(({ state }) => !isOpenRun(state)),
  };
}

async function readRows(prisma: PrismaClient): Promise<LabRow[]> {
  return (await prisma.labRun.findMany({ orderBy: { id: "desc" }, take: KEPT_RUNS + 1 })).map(readLabRow);
}

function toView(row: LabRow) {
  const { state, options, choices, results, failure, requestedBy, cancelRequestedBy } = row;
  return {
    id: String(row.id),
    state,
    options,
    choices,
    results,
    failure,
    requestedBy,
    cancelRequestedBy,
    progress: isOpenRun(state) && row.progress ? withoutSandbox(row.progress) : null,
    requestedAt: row.requestedAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}

function withoutSandbox({ choice, elapsedMs, figures }: LabProgress): LabProgress {
  return { choice, elapsedMs, figures };
}
