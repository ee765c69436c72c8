import type { EngineDetails, EngineRow } from "../contract";
import type { Column } from "../parts/data-table";
import { formatCount } from "../parts/format";
import { SimpleTable } from "../parts/simple-table";

/** The causes for which an engine rejects an order. */
const MEANINGS: Record<string, string> = {
  insufficient_balance: "The account sells more than it has.",
  duplicate_order: "The id belongs to another order of the account.",
  unknown_order: "The order to cancel is not known.",
  not_open: "The order to cancel is filled, or was rejected.",
  sum_too_large: "A balance or a side of the book would be too large to be exact.",
  malformed: "Its bytes could not be read as an order.",
};
const wordOf = (reason: string) => reason.replaceAll("_", " ");

const columns: Column<EngineDetails["rejects"][number]>[] = [
  { id: "order", title: "Order", cell: ({ orderId }) => <span className="code">{orderId || "–"}</span> },
  { id: "account", title: "Account", cell: ({ accountId }) => accountId || "–" },
  { id: "cause", title: "Cause", cell: ({ reason }) => wordOf(reason) },
  { id: "position", title: "Position", number: true, cell: ({ position }) => formatCount(position) },
];

/** Rejects by cause, and the newest of them. */
export function Rejects({ row, details }: { row: EngineRow; details: EngineDetails }) {
  const { causes, rejects, of } = details;
  const most = Math.max(1, ...causes.map(({ count }) => count));
  return (
    <section aria-label="Rejects by cause">
      <h3 className="label">
        Rejects by cause among the last {formatCount(of)} orders; {formatCount(row.rejects)} in total
      </h3>
      {causes.length === 0 ? (
        <p className="text-soft">No rejects among them.</p>
      ) : (
        <ul className="grid gap-1.5">
          {causes.map(({ reason, count }) => (
            <li key={reason} className="cause" title={MEANINGS[reason]}>
              <span>{wordOf(reason)}</span>
              <span className="cause-bar" aria-hidden="true">
                <span style={{ width: `${(count / most) * 100}%` }} />
              </span>
              <span className="text-right">{formatCount(count)}</span>
              <span className="cause-why">{MEANINGS[reason]}</span>
            </li>
          ))}
        </ul>
      )}
      {rejects.length > 0 && (
        <details className="mt-2">
          <summary className="text-[0.8125rem] text-soft">The newest {rejects.length} rejects</summary>
          <SimpleTable
            label="The newest rejects"
            className="max-h-56 overflow-y-auto"
            columns={columns}
            rows={rejects}
            rowKey={({ position }) => position}
          />
        </details>
      )}
    </section>
  );
}
