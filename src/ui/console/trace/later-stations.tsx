import type { Trace } from "../contract";
import { StateBadge } from "../parts/state-badge";
import { Station } from "./station";
import { FILTER_ANSWERS, FilterAnswers, OutboxRows } from "./trace-tables";
import { TracedUserLine } from "./traced-user-line";

/** The stations of a name that keeps the rules. */
export function LaterStations({ trace }: { trace: Trace }) {
  const { reserved, versions, database, outbox } = trace;
  const owner = database.byKey ?? database.bySkeleton;
  const twin = database.bySkeleton?.id === database.byKey?.id ? null : database.bySkeleton;
  const active = versions.find(({ state }) => state === "active");
  return (
    <>
      <Station
        title="Reserved words"
        badge={
          <StateBadge state={reserved ? "warning" : "ok"} word={reserved ? "reserved" : "not reserved"} />
        }
      >
        {reserved && (
          <p>
            <strong className="font-medium">{reserved.pattern}</strong>{" "}
            <span className="text-soft">({reserved.kind})</span>: {reserved.reason}
          </p>
        )}
      </Station>
      <Station
        title="Filter"
        badge={
          active ? (
            <StateBadge {...FILTER_ANSWERS[active.answer]} />
          ) : (
            <StateBadge state="unknown" word="no active version" />
          )
        }
        description={trace.shard && `shard ${trace.shard}`}
      >
        {versions.length > 0 && <FilterAnswers versions={versions} />}
      </Station>
      <Station
        title="Database"
        badge={<StateBadge state={owner ? "warning" : "ok"} word={owner ? "taken" : "free"} />}
      >
        <TracedUserLine title="Same key" user={database.byKey} />
        <TracedUserLine title="Looks alike" user={twin} />
      </Station>
      <Station
        title="Outbox"
        badge={
          <StateBadge
            state={outbox.some(row => row.state === "dead") ? "critical" : "ok"}
            word={outbox.length === 1 ? "1 row" : `${outbox.length} rows`}
          />
        }
      >
        {outbox.length > 0 && <OutboxRows rows={outbox} />}
      </Station>
    </>
  );
}
