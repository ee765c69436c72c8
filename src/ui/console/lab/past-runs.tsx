import type { LabRunView } from "../contract";
import { Ago } from "../parts/ago";
import type { Column } from "../parts/data-table";
import { formatCount } from "../parts/format";
import { SimpleTable } from "../parts/simple-table";

type PastRunsProps = { runs: readonly LabRunView[]; shown: string | null; onShow: (id: string) => void };

/** The last runs; each can be shown again. */
export function PastRuns({ runs, shown, onShow }: PastRunsProps) {
  const columns: Column<LabRunView>[] = [
    {
      id: "run",
      title: "Run",
      cell: ({ id }) => (
        <button
          type="button"
          className="link"
          aria-current={id === shown || undefined}
          onClick={() => onShow(id)}
        >
          Run {id}
        </button>
      ),
    },
    ...factColumns,
  ];
  return (
    <section className="panel" aria-label="Last runs">
      <div className="panel-head">
        <h2>Last runs</h2>
      </div>
      {runs.length === 0 ? (
        <p className="px-4 py-3 text-soft">No runs yet.</p>
      ) : (
        <SimpleTable label="Last runs, table" columns={columns} rows={runs} rowKey={({ id }) => id} />
      )}
    </section>
  );
}

const factColumns: Column<LabRunView>[] = [
  { id: "ended", title: "Ended", cell: ({ endedAt }) => (endedAt ? <Ago at={endedAt} /> : "–") },
  { id: "user", title: "User", cell: ({ requestedBy }) => requestedBy },
  { id: "result", title: "Result", cell: ({ state }) => state },
  { id: "rate", title: "Orders/s", number: true, cell: ({ options }) => formatCount(options.rate) },
  { id: "shards", title: "Shards", number: true, cell: ({ options }) => options.shards },
  { id: "seconds", title: "Seconds", number: true, wideOnly: true, cell: ({ options }) => options.seconds },
  { id: "seed", title: "Seed", number: true, wideOnly: true, cell: ({ options }) => options.seed },
];
