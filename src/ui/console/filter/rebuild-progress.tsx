import { Check } from "lucide-react";
import { useState } from "react";
import type { VersionState } from "../../../domain/filter/filter-version";
import type { FilterStatus, VersionStatus } from "../contract";
import { Ago } from "../parts/ago";
import { formatCount, formatQuantity } from "../parts/format";
import { NoData } from "../parts/measured";
import { StateBadge } from "../parts/state-badge";
import { useNow } from "../parts/use-now";
import { type Amount, amountOf } from "./amount-of";
import { ChangeButton, type OnChange } from "./change-button";
import { readProgress } from "./progress";
import { addSample, rateOf, type Sample, secondsLeft } from "./work-rate";

const STEPS: readonly VersionState[] = ["requested", "building", "catching-up", "verifying", "ready"];
/** The worker reports about twice a second. */
const SILENT_MS = 10_000;

type RebuildProgressProps = { status: FilterStatus; version: VersionStatus; onChange: OnChange };

/** Phase, rate and remaining time of a rebuild, and why it is throttled. */
export function RebuildProgress({ status, version, onChange }: RebuildProgressProps) {
  const progress = readProgress(version.progress);
  const amount = amountOf(version.state, progress);
  const { rate, remainingSeconds } = useWorkRate(amount, progress.at);
  const now = useNow();
  const isSilent = progress.at !== undefined && now - Date.parse(progress.at) > SILENT_MS;
  const { throttle, attempts = 1, lastError } = progress;
  return (
    <section className="panel mb-3" aria-label={`Progress of v${version.version}`}>
      <div className="panel-head">
        <h2>Rebuild of v{version.version}</h2>
        <ChangeButton
          change="cancel"
          status={status}
          of={version}
          onChange={onChange}
          variant="btn-danger btn-small"
        >
          Cancel v{version.version}
        </ChangeButton>
      </div>
      <Steps state={version.state} />
      <div className="progress-body">
        <Bar amount={amount} phase={progress.phase ?? "waiting"} />
        <dl className="progress-facts">
          <Fact title="Phase">
            {version.state === "requested" ? "waiting for a worker" : (progress.phase ?? "–")}
          </Fact>
          <Fact title={amount?.unit === "shards" ? "Shards" : "Rows"}>
            {amount ? formatCount(amount.done) : <NoData />}
            {amount?.total !== undefined && (
              <span className="text-soft"> of {formatCount(amount.total)}</span>
            )}
          </Fact>
          <Fact title="Rate">
            {rate === null ? <NoData /> : `${formatCount(rate)} ${amount?.unit ?? "rows"}/s`}
          </Fact>
          <Fact title="End of this phase">
            {remainingSeconds === null ? (
              <NoData />
            ) : (
              `in ${formatQuantity(Math.ceil(remainingSeconds), "seconds")}`
            )}
          </Fact>
          <Fact title="Since">
            <Ago at={version.stateAt} />
          </Fact>
        </dl>
      </div>
      <div className="progress-notes">
        {throttle ? (
          <StateBadge state="warning" word={`Throttled: ${throttle}`} />
        ) : isSilent ? (
          <StateBadge state="unknown" word="The worker has not reported for 10 s" />
        ) : lastError && attempts === 1 ? (
          <StateBadge state="warning" word={`Last error: ${lastError}`} />
        ) : (
          <span className="text-soft">
            Full speed; the worker is throttled when Redis or the database slows down
          </span>
        )}
        {attempts > 1 && (
          <StateBadge
            state="warning"
            word={`Attempt ${attempts}${lastError ? `; last error: ${lastError}` : ""}`}
          />
        )}
      </div>
    </section>
  );
}

function Steps({ state }: { state: VersionState }) {
  const at = STEPS.indexOf(state);
  return (
    <ol className="steps">
      {STEPS.map((step, i) => (
        <li
          key={step}
          data-at={i < at ? "done" : i === at ? "now" : "later"}
          aria-current={i === at ? "step" : undefined}
        >
          <span className="step-mark" aria-hidden="true">
            {i < at ? <Check size={12} strokeWidth={3} /> : i + 1}
          </span>
          {step}
        </li>
      ))}
    </ol>
  );
}

function Bar({ amount, phase }: { amount: Amount | null; phase: string }) {
  const ratio = amount?.total ? Math.min(1, amount.done / amount.total) : null;
  return (
    <div
      className="work-bar"
      role="progressbar"
      aria-label={`Progress of: ${phase}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={ratio === null ? undefined : Math.round(ratio * 100)}
    >
      {ratio !== null && <span style={{ width: `${ratio * 100}%` }} />}
    </div>
  );
}

function Fact({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

type Seen = { unit: string | undefined; at: string | undefined; samples: Sample[] };

/** Rate and remaining time of the work, from successive reports. */
function useWorkRate(amount: Amount | null, at: string | undefined) {
  const [seen, setSeen] = useState<Seen>({ unit: undefined, at: undefined, samples: [] });
  if (amount && at !== undefined && at !== seen.at) {
    const earlier = seen.unit === amount.unit ? seen.samples : [];
    const samples = addSample(earlier, { at: Date.parse(at), done: amount.done });
    setSeen({ unit: amount.unit, at, samples });
  }
  const rate = amount && seen.unit === amount.unit ? rateOf(seen.samples) : null;
  return { rate, remainingSeconds: amount && secondsLeft(rate, amount.done, amount.total) };
}
