import { formatQuantity } from "../parts/format";
import type { ChartSpec } from "./chart-spec";
import type { Point } from "./points";
import { readingTime } from "./scale";

type ReadingProps = { spec: ChartSpec; at: number; span: number; point: Point };

/** The values under the cursor. */
export function Reading({ spec, at, span, point }: ReadingProps) {
  return (
    <div className="reading">
      <div className="reading-detail text-soft">{readingTime(at, span)}</div>
      {spec.lines.map(({ id, label, colour }) => (
        <div key={id} className="flex items-center justify-between gap-3">
          <span className="flex items-center">
            <span className="swatch" style={{ "--colour": colour } as React.CSSProperties} />
            <span className="reading-detail">{label}</span>
          </span>
          <span className="font-medium">
            {point[id] == null ? "no data" : formatQuantity(point[id], spec.unit)}
          </span>
        </div>
      ))}
    </div>
  );
}
