import type { Trace } from "../contract";
import { Ago } from "../parts/ago";
import { ScrollArea } from "../parts/scroll-area";
import { StateBadge } from "../parts/state-badge";

/** What each answer of a version is worth. */
export const FILTER_ANSWERS = {
  absent: { state: "ok", word: "absent", title: "The shard is there and does not hold the name" },
  maybe: { state: "ok", word: "maybe", title: "The database decides" },
  unsealed: {
    state: "unknown",
    word: "no sentinel",
    title: "The shard is not proven to be there: its 0 does not count",
  },
  error: { state: "unknown", word: "no answer", title: "The filter did not answer in time" },
} as const;

export function FilterAnswers({ versions }: { versions: Trace["versions"] }) {
  return (
    <Scroll label="Answers of the filter versions">
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col">Answer</th>
          <th scope="col">State</th>
          <th scope="col">Shard</th>
          <th scope="col">Engine</th>
          <th scope="col" className="number">
            Took
          </th>
        </tr>
      </thead>
      <tbody>
        {versions.map(({ version, answer, state, shardState, engine, ms }) => (
          <tr key={version}>
            <td>v{version}</td>
            <td>
              <StateBadge {...FILTER_ANSWERS[answer]} />
            </td>
            <td>{state}</td>
            <td>{shardState}</td>
            <td>{engine}</td>
            <td className="number">{ms.toFixed(1)} ms</td>
          </tr>
        ))}
      </tbody>
    </Scroll>
  );
}

export function OutboxRows({ rows }: { rows: Trace["outbox"] }) {
  return (
    <Scroll label="Outbox rows of this name">
      <thead>
        <tr>
          <th scope="col">Row</th>
          <th scope="col">Event</th>
          <th scope="col">State</th>
          <th scope="col" className="number">
            Attempts
          </th>
          <th scope="col">Created</th>
          <th scope="col">Last error</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row.seq}>
            <td className="code">{row.seq}</td>
            <td>{row.type}</td>
            <td>{row.state}</td>
            <td className="number">{row.attempts}</td>
            <td>
              <Ago at={row.createdAt} />
            </td>
            <td title={row.lastError ?? undefined}>{row.lastError ?? "none"}</td>
          </tr>
        ))}
      </tbody>
    </Scroll>
  );
}

function Scroll({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <ScrollArea className="table-scroll rounded border border-line" label={label}>
      <table className="table">{children}</table>
    </ScrollArea>
  );
}
