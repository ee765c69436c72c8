import type { OrderTrace } from "../contract";
import { Conclusion } from "../parts/conclusion";
import { StateBadge } from "../parts/state-badge";
import { TraceStep } from "../parts/trace-step";
import { DeadLetterStep } from "./dead-letter-step";
import { EngineStep } from "./engine-step";
import { LogStep } from "./log-step";
import { OrderedStep } from "./ordered-step";

/** The conclusion, and then each place in the direction of the orders. */
export function OrderSteps({ trace }: { trace: OrderTrace }) {
  return (
    <div className="grid gap-3">
      <Conclusion text={trace.conclusion} />
      <ol className="panel divide-y divide-line">
        <ServerStep trace={trace} />
        <LogStep trace={trace} />
        <OrderedStep trace={trace} />
        <EngineStep trace={trace} />
        <DeadLetterStep search={trace.deadLetters} />
      </ol>
    </div>
  );
}

function ServerStep({ trace: { isKnownHere, route, symbol } }: { trace: OrderTrace }) {
  return (
    <TraceStep
      title="Server"
      badge={
        isKnownHere ? (
          <StateBadge state="ok" word="taken" />
        ) : (
          <StateBadge
            state="unknown"
            word="not known here"
            title="This server remembers the last 100,000 orders that it took since it started"
          />
        )
      }
    >
      {route && (
        <dl className="facts">
          <dt>Symbol</dt>
          <dd>
            {symbol}{" "}
            {route.factor > 1 && <span className="text-soft">split over {route.factor} sub-keys</span>}
          </dd>
          <dt>Route now</dt>
          <dd>
            {route.subKey === null ? (
              "any sub-key: the strategy is random"
            ) : (
              <>
                <span className="code">{route.subKey}</span> in shard{" "}
                <span className="code">{route.shardId}</span>
              </>
            )}
          </dd>
        </dl>
      )}
    </TraceStep>
  );
}
