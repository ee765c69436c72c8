import { formatExact, formatQuantity } from "../parts/format";
import { ScrollArea } from "../parts/scroll-area";
import { toast } from "../toast/toast";
import type { ChartSpec } from "./chart-spec";
import type { Point } from "./points";

const MAX_ROWS = 500;

/** The chart's numbers, newest first, for screen readers and for copying. */
export default function ChartTable({ spec, points }: { spec: ChartSpec; points: Point[] }) {
  const rows = points.toReversed().slice(0, MAX_ROWS);

  function copy() {
    const head = ["at", ...spec.lines.map(line => line.id)].join(",");
    const body = rows.map(point =>
      [new Date(point.at).toISOString(), ...spec.lines.map(line => point[line.id] ?? "")].join(","),
    );
    navigator.clipboard.writeText([head, ...body].join("\n")).then(
      () => toast.success(`Copied ${rows.length} rows`),
      () => toast.error("The browser did not allow copying. Select the rows and copy them."),
    );
  }

  return (
    <ScrollArea className="chart-table" label={`${spec.title}, as a table`}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">
              <button type="button" className="link" onClick={copy}>
                Copy
              </button>
            </th>
            {spec.lines.map(line => (
              <th key={line.id} scope="col" className="number">
                {line.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(point => (
            <tr key={point.at}>
              <td title={formatExact(point.at)}>{new Date(point.at).toLocaleTimeString("en-GB")}</td>
              {spec.lines.map(line => (
                <td key={line.id} className="number">
                  {point[line.id] == null ? "no data" : formatQuantity(point[line.id]!, spec.unit)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
