"use client";

import { useQuery } from "@tanstack/react-query";
import { Table2 } from "lucide-react";
import dynamic from "next/dynamic";
import { useId, useMemo, useState } from "react";
import { consoleApi } from "../console-api";
import type { Annotation, SeriesId } from "../contract";
import { explainFailure } from "../parts/explain-failure";
import { Measured } from "../parts/measured";
import { StateBadge } from "../parts/state-badge";
import { type ChartSpec, seriesOf } from "./chart-spec";
import { ChartTable } from "./chart-table";
import { PLOT } from "./plot-box";
import { PlotOverlay } from "./plot-overlay";
import { currentValue, findGaps, type LinesAnswer, toPoints, trendOf } from "./points";
import { niceTop } from "./scale";
import type { TimeWindow } from "./time-window";
import { TrendText } from "./trend-text";
import { useInTurn } from "./use-in-turn";

const Plot = dynamic(() => import("./plot"), { ssr: false });

type ChartPanelProps = { spec: ChartSpec; window: TimeWindow; annotations: readonly Annotation[] };

/** A chart of named series, which it asks for itself. */
export function ChartPanel(props: ChartPanelProps) {
  const { spec, window } = props;
  const series = useMemo(() => seriesOf(spec), [spec]);
  const { from, to } = window;
  const answer = useQuery({
    queryKey: ["telemetry.series", series, from, to],
    queryFn: ({ signal }) =>
      consoleApi.telemetry.series.query(
        { series: series as SeriesId[], from: new Date(from).toISOString(), to: new Date(to).toISOString() },
        { signal },
      ),
    placeholderData: previous => previous,
    gcTime: 10_000,
  });

  return <ChartView {...props} data={answer.data} isOld={answer.isPlaceholderData} error={answer.error} />;
}

type ChartViewProps = ChartPanelProps & {
  data: LinesAnswer | undefined;
  error: unknown;
  /** Of the window before: what is shown stays until the new one's data is there. */
  isOld?: boolean;
};

/** A chart of lines that somebody else has read. */
export function ChartView({ isOld = false, ...next }: ChartViewProps) {
  const { spec, annotations, error } = next;
  const wanted = useMemo(() => ({ data: next.data, window: next.window }), [next.data, next.window]);
  const { data, window } = useInTurn(wanted, isOld);
  const id = useId();
  const [asTable, setAsTable] = useState(false);
  const { from, to } = window;
  const drawn = useMemo(() => {
    if (!data) return undefined;
    const points = toPoints(data, spec.lines);
    const headline = toPoints(data, [{ id: spec.headline, label: "", colour: "" }]);
    const within = { from, to, stepMs: data.stepMs };
    const heights = points.map(point => {
      const values = spec.lines.map(({ id }) => point[id] ?? 0);
      return spec.stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
    });
    return {
      points,
      gaps: findGaps(points, spec.lines, within),
      value: currentValue(headline, spec.headline, within),
      trend: trendOf(headline, spec.headline),
      top: topOf(spec, Math.max(0, ...heights)),
    };
  }, [data, spec, from, to]);

  const right = spec.endLabels ? PLOT.rightWithLabels : PLOT.right;
  const isOver = spec.limit && drawn?.value != null && drawn.value > spec.limit.value;
  return (
    <section className="panel chart" aria-labelledby={id}>
      <div className="flex items-start justify-between gap-2">
        <h2 id={id} title={spec.about}>
          {spec.title}
        </h2>
        <button
          type="button"
          className="btn btn-quiet btn-small -mt-1 -mr-1.5 px-1!"
          aria-pressed={asTable}
          aria-label={`${spec.title}: show as ${asTable ? "a chart" : "a table"}`}
          title={asTable ? "Show as a chart" : "Show as a table"}
          onClick={() => setAsTable(!asTable)}
        >
          <Table2 size={14} aria-hidden="true" />
        </button>
      </div>
      <div className="chart-now">
        {drawn ? (
          <>
            <span className="chart-value">
              <Measured value={drawn.value} unit={spec.unit} />
            </span>
            {isOver && <StateBadge state="critical" word="over the limit" />}
            {drawn.trend && drawn.value !== null && (
              <TrendText spec={spec} trend={drawn.trend} value={drawn.value} />
            )}
          </>
        ) : (
          <span className="skeleton">00.0 /s rising</span>
        )}
      </div>
      {(spec.stacked || spec.legend) && (
        <div className="chart-legend">
          {spec.lines.map(({ id: line, label, colour }) => (
            <span key={line}>
              <span className="swatch" style={{ "--colour": colour } as React.CSSProperties} />
              {label}
            </span>
          ))}
        </div>
      )}
      {asTable && drawn ? (
        <ChartTable spec={spec} points={drawn.points} />
      ) : (
        <div className="plot">
          {drawn && (
            <div className="plot-lines">
              <Plot spec={spec} points={drawn.points} window={window} top={drawn.top} right={right} />
            </div>
          )}
          {drawn && (
            <PlotOverlay {...drawn} spec={spec} window={window} right={right} annotations={annotations} />
          )}
          {!drawn && Boolean(error) && <ChartFailure error={error} />}
        </div>
      )}
    </section>
  );
}

/** Where the axis ends; the whole is 100 %, also when the parts' rounding comes to more. */
function topOf({ unit, leastTop, isOpenEnded }: ChartSpec, highest: number): number {
  const top = niceTop(highest, leastTop);
  return unit === "ratio" && !isOpenEnded ? Math.min(top, 1) : top;
}

function ChartFailure({ error }: { error: unknown }) {
  const { title, text } = explainFailure(error);
  return (
    <div
      className="grid h-full content-center justify-items-center gap-1 text-center text-xs text-soft"
      role="alert"
    >
      <StateBadge state="unknown" word={title} />
      {text}
    </div>
  );
}
