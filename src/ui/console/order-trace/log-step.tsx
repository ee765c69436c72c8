import type { OrderTrace } from "../contract";
import { StateBadge } from "../parts/state-badge";
import { TraceStep } from "../parts/trace-step";
import { ExactTime } from "./exact-time";
import { StampFacts } from "./stamp-facts";

/** The record of the log with the order; an order that is matched has left the log. */
export function LogStep({ trace: { log, waitsFor } }: { trace: OrderTrace }) {
  return (
    <TraceStep title="Log" badge={<LogBadge log={log} />}>
      {log?.orders.map(({ kind, shardId, record, writtenAt, stamp }) => (
        <dl key={record} className="facts mb-2">
          <dt>Record</dt>
          <dd>
            <span className="code">{record}</span> in shard <span className="code">{shardId}</span>
            {kind === "cancel" && " (cancel)"}
          </dd>
          <StampFacts stamp={stamp} />
          {writtenAt && (
            <>
              <dt>Durable</dt>
              <dd>
                <ExactTime at={writtenAt} since={stamp.at} />
              </dd>
            </>
          )}
        </dl>
      ))}
      {log?.orders.some(({ isRead }) => !isRead) && waitsFor !== null && <p>{waitsFor}</p>}
    </TraceStep>
  );
}

function LogBadge({ log }: Pick<OrderTrace, "log">) {
  if (log === null)
    return <StateBadge state="ok" word="passed" title="The log forgets records that were read" />;
  if (log.orders.length > 0)
    return <StateBadge state="ok" word={log.orders.every(({ isRead }) => isRead) ? "passed" : "durable"} />;
  if (!log.isSearched)
    return (
      <StateBadge state="unknown" word="not searched" title="Kinesis limits how often shards are read" />
    );
  return log.isComplete ? (
    <span className="text-soft">not there</span>
  ) : (
    <StateBadge state="unknown" word="partly searched" title="Only the oldest records were looked at" />
  );
}
