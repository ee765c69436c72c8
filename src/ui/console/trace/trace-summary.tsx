import type { Trace } from "../contract";
import { Conclusion } from "../parts/conclusion";
import { StateBadge } from "../parts/state-badge";
import { TraceStep } from "../parts/trace-step";
import { visibleText } from "../parts/visible-text";
import { LaterSteps } from "./later-steps";
import { NormalForm } from "./normal-form";

/** The conclusion, and then each step in the order of a sign-up. */
export function TraceSummary({ name, trace }: { name: string; trace: Trace }) {
  const { verdict } = trace;
  return (
    <div className="grid gap-3">
      <Conclusion text={visibleText(trace.conclusion)} />
      <ol className="panel divide-y divide-line">
        <TraceStep title="Normal form" badge={<Rules verdict={verdict} />}>
          <NormalForm name={name} trace={trace} />
        </TraceStep>
        {verdict.ok && <LaterSteps trace={trace} />}
      </ol>
      {!verdict.ok && (
        <p className="px-4 text-soft">
          The trace ends here: the later steps do not see a name that breaks a rule.
        </p>
      )}
    </div>
  );
}

function Rules({ verdict }: { verdict: Trace["verdict"] }) {
  return verdict.ok ? (
    <StateBadge state="ok" word="keeps the rules" />
  ) : (
    <StateBadge state="warning" word={`breaks “${verdict.rule ?? "a rule"}”`} />
  );
}
