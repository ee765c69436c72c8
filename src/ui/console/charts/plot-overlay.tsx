import type { Annotation } from "../contract";
import { ConsoleLink } from "../parts/console-link";
import { formatExact, formatQuantity } from "../parts/format";
import type { ChartSpec } from "./chart-spec";
import { toEventMarks } from "./event-marks";
import { PLOT } from "./plot-box";
import type { Gap, Point } from "./points";

type OverlayProps = {
  spec: ChartSpec;
  points: Point[];
  window: Gap;
  gaps: Gap[];
  top: number;
  right: number;
  annotations: readonly Annotation[];
};

/** Above the lines, in HTML: hatched gaps, the limit, line names, and events that open their audit row. */
export function PlotOverlay({ spec, points, window, gaps, top, right, annotations }: OverlayProps) {
  const span = window.to - window.from;
  const x = (at: number) => `${((at - window.from) / span) * 100}%`;
  const y = (value: number) => `${(1 - Math.min(value, top) / top) * 100}%`;
  const box = {
    "--plot-top": `${PLOT.top}px`,
    "--plot-right": `${right}px`,
    "--plot-bottom": `${PLOT.bottom}px`,
    "--plot-left": `${PLOT.left}px`,
  } as React.CSSProperties;
  return (
    <div className="plot-area" style={box}>
      {gaps.map(({ from, to }) => (
        <div key={from} className="plot-gap" style={{ left: x(from), right: `calc(100% - ${x(to)})` }}>
          {to - from > span / 8 && <span className="plot-gap-text">no data</span>}
        </div>
      ))}
      {spec.limit && spec.limit.value <= top && (
        <div
          className="plot-limit"
          style={{ top: y(spec.limit.value) }}
          data-below={spec.limit.value > top * 0.8 || undefined}
        >
          <span className="plot-limit-text">
            {spec.limit.label} {formatQuantity(spec.limit.value, spec.unit)}
          </span>
        </div>
      )}
      {spec.endLabels && <EndLabels spec={spec} points={points} top={top} />}
      {toEventMarks(annotations, window).map(({ at, label, href }) => (
        <ConsoleLink
          key={href}
          href={href}
          className="plot-event"
          style={{ left: x(at) }}
          data-left={at > window.from + span / 2 || undefined}
          aria-label={`${label}, ${formatExact(at)}: open the audit row`}
        >
          <span className="plot-event-label">{label}</span>
        </ConsoleLink>
      ))}
    </div>
  );
}

const LABEL_RATIO = 0.13;

/** Line names beside the last values, moved apart where lines end close together. */
function EndLabels({ spec, points, top }: Pick<OverlayProps, "spec" | "points" | "top">) {
  const ends = spec.lines
    .flatMap(({ id, label, colour }) => {
      const last = points.findLast(point => point[id] != null)?.[id];
      return last == null ? [] : [{ id, label, colour, at: Math.min(last / top, 1) }];
    })
    .sort((a, b) => a.at - b.at);
  let floor = 0;
  return ends.map(({ id, label, colour, at }) => {
    const place = Math.max(at, floor);
    floor = place + LABEL_RATIO;
    // A line's colour alone is too pale for small letters.
    const color = `color-mix(in oklch, ${colour} 65%, var(--ink))`;
    return (
      <span key={id} className="plot-end" style={{ top: `${(1 - place) * 100}%`, color }}>
        {label}
      </span>
    );
  });
}
