import { useQuery } from "@tanstack/react-query";
import { consoleApi } from "../console-api";
import type { ReservedKind } from "../contract";
import { explainFailure } from "../parts/explain-failure";
import { formatCount } from "../parts/format";
import { StateBadge } from "../parts/state-badge";

/** The existing names that the word would match. Their users keep them. */
export function DryRun({ pattern, kind }: { pattern: string; kind: ReservedKind }) {
  const run = useQuery({
    queryKey: ["reserved.dryRun", pattern, kind],
    queryFn: ({ signal }) => consoleApi.reserved.dryRun.query({ pattern, kind }, { signal }),
    enabled: pattern !== "",
  });
  return (
    <div className="min-h-17 rounded border border-line bg-page px-3 py-2" role="status">
      {pattern === "" ? (
        <p className="text-soft">Type a word to see which existing names it would block.</p>
      ) : run.isPending ? (
        <p className="text-soft">Searching the existing names…</p>
      ) : run.error ? (
        <>
          <StateBadge state="unknown" word={`Unknown: ${explainFailure(run.error).title}`} />
          <p className="mt-0.5 text-soft">{explainFailure(run.error).text}</p>
        </>
      ) : run.data.blocked === 0 && !run.data.complete ? (
        <StateBadge
          state="unknown"
          word={`None among the newest ${formatCount(run.data.checked)} users; the others were not searched`}
        />
      ) : run.data.blocked === 0 ? (
        <StateBadge state="ok" word="Would block no name that exists" />
      ) : (
        <>
          <StateBadge
            state="warning"
            word={`Would block ${run.data.complete ? "" : "at least "}${formatCount(run.data.blocked)} that exist`}
          />
          <p className="mt-0.5 text-soft [overflow-wrap:anywhere]">
            {run.data.examples.join(", ")}
            {run.data.blocked > run.data.examples.length && ", …"}. These users keep their names; no new user
            gets one.
          </p>
        </>
      )}
    </div>
  );
}
