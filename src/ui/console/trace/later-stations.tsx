import type { Trace } from "../contract";
import { StateBadge } from "../parts/state-badge";
import { Station } from "./station";
import { FILTER_ANSWERS, FilterAnswers, OutboxRows } from "./trace-tables";
import { TracedPerson } from "./traced-person";

/** What only a name that keeps the rules is asked about. */
export function LaterStations({ trace }: { trace: Trace }) {
  const { reserved, versions, database, outbox } = trace;
  const holder = database.byKey ?? database.bySkeleton;
  const twin = database.bySkeleton?.id === database.byKey?.id ? null : database.bySkeleton;
  const readers = versions.find(({ state }) => state === "active");
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
          readers ? (
            <StateBadge {...FILTER_ANSWERS[readers.answer]} />
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
        badge={<StateBadge state={holder ? "warning" : "ok"} word={holder ? "taken" : "free"} />}
      >
        <TracedPerson title="Same key" person={database.byKey} />
        <TracedPerson title="Looks alike" person={twin} nobody={database.byKey ? "nobody else" : "nobody"} />
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
