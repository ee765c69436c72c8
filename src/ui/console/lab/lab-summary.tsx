import { KEY_CHOICES } from "../../../domain/lab/scenario";
import type { LabRunView } from "../contract";
import { Ago } from "../parts/ago";
import type { State } from "../parts/state-badge";
import { StatusSummary } from "../parts/status-summary";
import { OUT_OF_DATE } from "../parts/summary-state";
import { SCENARIO_TITLES } from "./describe-scenario";

type LabSummaryProps = { run: LabRunView | null; isOld: boolean };

/** The state of the lab, or the outcome of the shown run. */
export function LabSummary({ run, isOld }: LabSummaryProps) {
  const { state, word } = isOld ? OUT_OF_DATE : summaryOf(run);
  return (
    <StatusSummary label="Lab status" state={state} word={word}>
      {run && (
        <p className="text-soft">
          Run {run.id} by {run.requestedBy}, <Ago at={run.endedAt ?? run.requestedAt} />: {traffic(run)}
        </p>
      )}
      {run && isOpen(run) && <Progress run={run} />}
      {run?.failure && <p className="text-critical">{run.failure}</p>}
    </StatusSummary>
  );
}

const isOpen = ({ state }: LabRunView) => state === "requested" || state === "running";

const traffic = ({ options: { rate, symbol, shards, producers } }: LabRunView) =>
  `${rate.toLocaleString("en")} orders/s of ${symbol} from ${producers} producers, ${shards} shards`;

function summaryOf(run: LabRunView | null): { state: State; word: string } {
  if (!run) return { state: "unknown", word: "No runs yet" };
  switch (run.state) {
    case "requested":
      return { state: "unknown", word: "Waiting for a lab worker" };
    case "running":
      return {
        state: "ok",
        word: run.cancelRequestedBy
          ? `Stopping: cancelled by ${run.cancelRequestedBy}`
          : `Running: ${run.progress ? SCENARIO_TITLES[run.progress.choice].title.toLowerCase() : "starting"}`,
      };
    case "done":
      return { state: "ok", word: "Done" };
    case "cancelled":
      return { state: "warning", word: `Cancelled by ${run.cancelRequestedBy}` };
    case "failed":
      return { state: "critical", word: "Failed" };
  }
}

/** The time of a scenario besides sending: setup, and the rest of the backlog. */
const OVERHEAD_MS = 2_500;

function Progress({ run }: { run: LabRunView }) {
  const perScenario = run.options.seconds * 1_000 + OVERHEAD_MS;
  const done = KEY_CHOICES.filter(choice => run.results[choice]).length;
  const current = Math.min(1, (run.progress?.elapsedMs ?? 0) / perScenario);
  const total = run.choices.length;
  const leftSeconds = Math.max(1, Math.round(((total - done - current) * perScenario) / 1_000));
  return (
    <div className="flex min-w-60 flex-1 items-center gap-3">
      <progress
        className="lab-progress"
        aria-label="Progress of the run"
        value={(done + current) / total}
        max={1}
      />
      <span className="whitespace-nowrap text-soft">
        {Math.min(done + 1, total)} of {total}, about {leftSeconds} s left
      </span>
    </div>
  );
}
