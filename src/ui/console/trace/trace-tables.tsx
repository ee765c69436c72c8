import type { Trace } from "../contract";
import { Ago } from "../parts/ago";
import type { Column } from "../parts/data-table";
import { SimpleTable } from "../parts/simple-table";
import { StateBadge } from "../parts/state-badge";

/** What each answer of a version means. */
export const FILTER_ANSWERS = {
  absent: { state: "ok", word: "absent", title: "The shard is sealed and does not contain the name" },
  maybe: { state: "ok", word: "maybe", title: "The database decides" },
  unsealed: {
    state: "unknown",
    word: "no sentinel",
    title: "The shard has no sentinel, so its 0 does not count",
  },
  error: { state: "unknown", word: "no answer", title: "The filter did not answer in time" },
} as const;

const versionColumns: Column<Trace["versions"][number]>[] = [
  { id: "version", title: "Version", cell: ({ version }) => `v${version}` },
  { id: "answer", title: "Answer", cell: ({ answer }) => <StateBadge {...FILTER_ANSWERS[answer]} /> },
  { id: "state", title: "State", cell: ({ state }) => state },
  { id: "shard", title: "Shard", cell: ({ shardState }) => shardState },
  { id: "engine", title: "Engine", cell: ({ engine }) => engine },
  { id: "took", title: "Duration", number: true, cell: ({ ms }) => `${ms.toFixed(1)} ms` },
];

export function FilterAnswers({ versions }: { versions: Trace["versions"] }) {
  return (
    <SimpleTable
      label="Answers of the filter versions"
      className="rounded border border-line"
      columns={versionColumns}
      rows={versions}
      rowKey={({ version }) => version}
    />
  );
}

const outboxColumns: Column<Trace["outbox"][number]>[] = [
  { id: "seq", title: "Row", cell: ({ seq }) => <span className="code">{seq}</span> },
  { id: "type", title: "Event", cell: ({ type }) => type },
  { id: "state", title: "State", cell: ({ state }) => state },
  { id: "attempts", title: "Attempts", number: true, cell: ({ attempts }) => attempts },
  { id: "created", title: "Created", cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    id: "error",
    title: "Last error",
    cell: ({ lastError }) => <span title={lastError ?? undefined}>{lastError ?? "–"}</span>,
  },
];

export function OutboxRows({ rows }: { rows: Trace["outbox"] }) {
  return (
    <SimpleTable
      label="Outbox rows of this name"
      className="rounded border border-line"
      columns={outboxColumns}
      rows={rows}
      rowKey={({ seq }) => seq}
    />
  );
}
