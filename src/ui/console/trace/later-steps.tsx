import type { Trace, TracedUser } from "../contract";
import { Ago } from "../parts/ago";
import { ConsoleLink } from "../parts/console-link";
import { StateBadge } from "../parts/state-badge";
import { TraceStep } from "../parts/trace-step";
import { FILTER_ANSWERS, FilterAnswers, OutboxRows } from "./trace-tables";

/** The steps after the normal form, for a name that passes the rules. */
export function LaterSteps({ trace }: { trace: Trace }) {
  const { reserved, versions, database, outbox } = trace;
  const owner = database.byKey ?? database.bySkeleton;
  const twin = database.bySkeleton?.id === database.byKey?.id ? null : database.bySkeleton;
  const active = versions.find(({ state }) => state === "active");
  return (
    <>
      <TraceStep
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
      </TraceStep>
      <TraceStep
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
      </TraceStep>
      <TraceStep
        title="Database"
        badge={<StateBadge state={owner ? "warning" : "ok"} word={owner ? "taken" : "free"} />}
      >
        <TracedUserLine title="Same key" user={database.byKey} />
        <TracedUserLine title="Looks alike" user={twin} />
      </TraceStep>
      <TraceStep
        title="Outbox"
        badge={
          <StateBadge
            state={outbox.some(row => row.state === "dead") ? "critical" : "ok"}
            word={outbox.length === 1 ? "1 row" : `${outbox.length} rows`}
          />
        }
      >
        {outbox.length > 0 && <OutboxRows rows={outbox} />}
      </TraceStep>
    </>
  );
}

type TracedUserLineProps = { title: string; user: TracedUser | null };

function TracedUserLine({ title, user }: TracedUserLineProps) {
  return (
    <p className="flex flex-wrap gap-x-2">
      <span className="w-24 text-soft">{title}</span>
      {user ? (
        <>
          <ConsoleLink
            className="link"
            href={`/console/users?search=${encodeURIComponent(user.username)}&id=${user.id}`}
          >
            <bdi>{user.username}</bdi>
          </ConsoleLink>
          <span className="text-soft">
            signed up <Ago at={user.createdAt} />
          </span>
        </>
      ) : (
        "–"
      )}
    </p>
  );
}
