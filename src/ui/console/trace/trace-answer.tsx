import type { Trace } from "../contract";
import { StateBadge } from "../parts/state-badge";
import { Station } from "./station";
import { FILTER_ANSWERS, FilterAnswers, OutboxRows } from "./trace-tables";
import { TracedPerson } from "./traced-person";

/** The conclusion first, then every station in the order that a sign-up passes them. */
export function TraceAnswer({ name, trace }: { name: string; trace: Trace }) {
  const { verdict, reserved, versions, database, outbox } = trace;
  const holder = database.byKey ?? database.bySkeleton;
  const readers = versions.find(({ state }) => state === "active");
  return (
    <div className="grid gap-3">
      <section
        className="panel px-4 py-3 text-[1.0625rem] [overflow-wrap:anywhere]"
        aria-label="Conclusion"
        role="status"
      >
        {trace.conclusion}
      </section>
      <ol className="panel divide-y divide-line">
        <Station title="Normal form" badge={<Rules verdict={verdict} />}>
          <dl className="facts">
            <dt>Typed</dt>
            <dd className="code">{codePoints(name)}</dd>
            {trace.username !== undefined && (
              <>
                <dt>Username</dt>
                <dd>
                  <bdi>{trace.username}</bdi>
                </dd>
              </>
            )}
            {trace.key !== undefined && (
              <>
                <dt>Key</dt>
                <dd className="code">{trace.key}</dd>
              </>
            )}
            {trace.skeleton !== undefined && (
              <>
                <dt>Skeleton</dt>
                <dd className="code">{trace.skeleton}</dd>
              </>
            )}
            {trace.policyVersion !== undefined && (
              <>
                <dt>Policy</dt>
                <dd>version {trace.policyVersion}</dd>
              </>
            )}
          </dl>
          {!verdict.ok && <p className="mt-2">{verdict.message}</p>}
        </Station>
        <Station
          title="Reserved words"
          badge={
            <StateBadge state={reserved ? "warning" : "ok"} word={reserved ? "reserved" : "not reserved"} />
          }
        >
          {reserved && (
            <p>
              The {reserved.kind} word <strong className="font-medium">{reserved.pattern}</strong>{" "}
              {reserved.reason}.
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
          hint={trace.shard && `shard ${trace.shard}`}
        >
          {versions.length > 0 && <FilterAnswers versions={versions} />}
        </Station>
        <Station
          title="Database"
          badge={<StateBadge state={holder ? "warning" : "ok"} word={holder ? "taken" : "free"} />}
        >
          <TracedPerson title="Same key" person={database.byKey} />
          <TracedPerson title="Looks alike" person={database.bySkeleton} />
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
      </ol>
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

const MAX_SHOWN = 48;

/** Letters as they are; what can't be seen or told apart, as its code point. */
function codePoints(text: string): string {
  const shown = [...text].slice(0, MAX_SHOWN);
  const plain = shown.map(char =>
    /^[\x21-\x7e]$/.test(char) ? char : `${/^[\p{L}\p{N}]$/u.test(char) ? char : ""}⟨U+${hex(char)}⟩`,
  );
  return plain.join("") + (shown.length < [...text].length ? "…" : "");
}

const hex = (char: string) => (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
