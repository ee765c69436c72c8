import type { LabRunView } from "../contract";
import { Ago } from "../parts/ago";
import { ScrollArea } from "../parts/scroll-area";

type PastRunsProps = { runs: readonly LabRunView[]; shown: string | null; onShow: (id: string) => void };

/** The last runs; each can be shown again. */
export function PastRuns({ runs, shown, onShow }: PastRunsProps) {
  return (
    <section className="panel" aria-label="Last runs">
      <div className="panel-head">
        <h2>Last runs</h2>
      </div>
      {runs.length === 0 ? (
        <p className="px-4 py-3 text-soft">No runs yet.</p>
      ) : (
        <ScrollArea className="table-scroll" label="Last runs, table">
          <table className="table whitespace-nowrap">
            <thead>
              <tr>
                <th scope="col">Run</th>
                <th scope="col">Ended</th>
                <th scope="col">User</th>
                <th scope="col">Result</th>
                <th scope="col" className="number">
                  Orders/s
                </th>
                <th scope="col" className="number">
                  Shards
                </th>
                <th scope="col" className="number wide-only">
                  Seconds
                </th>
                <th scope="col" className="number wide-only">
                  Seed
                </th>
              </tr>
            </thead>
            <tbody>
              {runs.map(({ id, endedAt, requestedBy, state, options }) => (
                <tr key={id} aria-current={id === shown || undefined}>
                  <td>
                    <button type="button" className="link" onClick={() => onShow(id)}>
                      Run {id}
                    </button>
                  </td>
                  <td>{endedAt && <Ago at={endedAt} />}</td>
                  <td>{requestedBy}</td>
                  <td>{state}</td>
                  <td className="number">{options.rate.toLocaleString("en")}</td>
                  <td className="number">{options.shards}</td>
                  <td className="number wide-only">{options.seconds}</td>
                  <td className="number wide-only">{options.seed}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
    </section>
  );
}
