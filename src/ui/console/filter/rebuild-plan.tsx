import type { RebuildPlan as Plan } from "../contract";
import { explainFailure } from "../parts/explain-failure";
import { formatCount, formatQuantity } from "../parts/format";
import { formatBytes } from "../parts/format-bytes";
import { StateBadge } from "../parts/state-badge";

type RebuildPlanProps = { plan: { data?: Plan; error: unknown } | null };

/** The dry run: the size and duration of the rebuild, and whether Redis has room. */
export function RebuildPlan({ plan }: RebuildPlanProps) {
  const { data, error } = plan ?? { data: undefined, error: null };
  const failure = error ? explainFailure(error) : null;
  const facts: [string, string | undefined][] = [
    ["In Redis", data && formatBytes(data.sizeBytes)],
    ["Duration (est.)", data && formatQuantity(data.expectedSeconds, "seconds")],
    ["Names now", data && formatCount(data.rows)],
    ["Per shard", data && `${formatCount(data.shardCapacity)} names`],
    ["Worker's memory", data && formatBytes(data.workerBytes)],
    ["Engine", data?.engine],
  ];
  return (
    <section className="rounded border border-line bg-page" aria-label="Dry run">
      <dl className="plan-facts">
        {facts.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value ?? <span className="skeleton">12.3 MB</span>}</dd>
          </div>
        ))}
      </dl>
      <p className="min-h-9 border-t border-line px-3 py-2" role="status">
        {failure ? (
          <>
            <StateBadge state="unknown" word={failure.title} />
            <span className="block text-soft">{failure.text}</span>
          </>
        ) : data?.problem ? (
          <>
            <StateBadge state="critical" word="This version can't be built" />
            <span className="block">{data.problem}</span>
          </>
        ) : data ? (
          <>
            {data.room === "enough" ? (
              <StateBadge state="ok" word="Redis has room for it" />
            ) : (
              <StateBadge
                state="unknown"
                word="Unknown whether Redis has room: it has no memory limit of its own"
              />
            )}
            {data.warning && (
              <span className="mt-1 block">
                <StateBadge state="warning" word={data.warning} />
              </span>
            )}
          </>
        ) : (
          <span className="text-soft">Planning the rebuild…</span>
        )}
      </p>
    </section>
  );
}
