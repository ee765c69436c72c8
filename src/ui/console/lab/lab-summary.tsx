import { KEY_CHOICES } from "../../../domain/lab/scenario";
import type { LabRunView } from "../contract";
import { Ago } from "../parts/ago";
import type { State } from "../parts/state-badge";
import { StatusSummary } from "../parts/status-summary";
import { SCENARIO_TITLES } from "./describe-scenario";

type LabSummaryProps = { run: LabRunView | null; isOld: boolean };

/** What the lab is doing, or what the run that is shown came to. */
export function LabSummary({ run, isOld }: LabSummaryProps) {
  const { state, word } = isOld
    ? { state: "unknown" as State, word: "A while ago: the server does not answer" }
    : summaryOf(run);
  return (
    <StatusSummary label="What the lab does" state={state} word={word}>
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
  if (!run) return { state: "unknown", word: "Nothing has run yet" };
  switch (run.state) {
    case "requested":
      return { state: "unknown", word: "Waits for the lab's worker" };
    case "running":
      return {
        state: "ok",
        word: run.cancelAskedBy
          ? `Stops: cancelled by ${run.cancelAskedBy}`
          : `Runs: ${run.progress ? SCENARIO_TITLES[run.progress.choice].title.toLowerCase() : "it begins"}`,
      };
    case "done":
      return { state: "ok", word: "Done" };
    case "cancelled":
      return { state: "warning", word: `Cancelled by ${run.cancelAskedBy}` };
    case "failed":
      return { state: "critical", word: "Failed" };
  }
}

/** What a scenario takes besides sending: the backlog, and what stands around it. */
const BESIDES_MS = 2_500;

function Progress({ run }: { run: LabRunView }) {
  const perScenario = run.options.seconds * 1_000 + BESIDES_MS;
  const done = KEY_CHOICES.filter(choice => run.results[choice]).length;
  const inHand = Math.min(1, (run.progress?.elapsedMs ?? 0) / perScenario);
  const total = run.choices.length;
  const leftSeconds = Math.max(1, Math.round(((total - done - inHand) * perScenario) / 1_000));
  return (
    <div className="flex min-w-60 flex-1 items-center gap-3">
      <progress
        className="lab-progress"
        aria-label="Progress of the run"
        value={(done + inHand) / total}
        max={1}
      />
      <span className="whitespace-nowrap text-soft">
        {Math.min(done + 1, total)} of {total}, some {leftSeconds} s left
      </span>
    </div>
  );
}
