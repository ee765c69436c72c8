import type { LabProgress, LabResults, LabRunState } from "../../domain/lab/lab-run";
import type { KeyChoice, ScenarioOptions } from "../../domain/lab/scenario";
import type { Prisma } from "../../store/postgres";

/** Where a run's keys are, so that any worker can remove those of an abandoned run. */
export type StoredProgress = LabProgress & { sandbox: { log: string; shards: number; symbol: string } };

/** A row of lab_runs with its JSON as what it is. */
export function readLabRow(row: Prisma.LabRunGetPayload<object>) {
  return {
    ...row,
    state: row.state as LabRunState,
    choices: row.choices as KeyChoice[],
    options: row.options as ScenarioOptions,
    progress: row.progress as StoredProgress | null,
    results: row.results as LabResults,
  };
}
export type LabRow = ReturnType<typeof readLabRow>;

/** Target of an audit row about a run. */
export const labTarget = (id: bigint): string => `lab:run ${id}`;
