import type { EngineDetails, EngineRow } from "../contract";
import { formatCount } from "../parts/format";
import { ScrollArea } from "../parts/scroll-area";

/** The causes for which an engine rejects an order. */
const MEANINGS: Record<string, string> = {
  insufficient_balance: "The account sells more than it has.",
  duplicate_order: "The book has an order with that id already.",
  unknown_order: "The book has no order to cancel: it was matched or cancelled, or never existed.",
  malformed: "Its bytes could not be read as an order.",
};
const wordOf = (reason: string) => reason.replace("_", " ");

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
          <ScrollArea label="The newest rejects" className="max-h-56 overflow-auto">
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Order</th>
                  <th scope="col">Account</th>
                  <th scope="col">Cause</th>
                  <th scope="col" className="number">
                    Position
                  </th>
                </tr>
              </thead>
              <tbody>
                {rejects.map(reject => (
                  <tr key={reject.position}>
                    <td className="code">{reject.orderId || "–"}</td>
                    <td>{reject.accountId || "–"}</td>
                    <td>{wordOf(reject.reason)}</td>
                    <td className="number">{formatCount(reject.position)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollArea>
        </details>
      )}
    </section>
  );
}
