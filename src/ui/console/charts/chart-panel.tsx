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
import { PLOT } from "./plot-box";
import { PlotOverlay } from "./plot-overlay";
import { currentValue, findGaps, type LineData, MAX_STATE_STEP_MS, toPoints, trendOf } from "./points";
import { niceTop } from "./scale";
import type { TimeWindow } from "./time-window";
import { TrendText } from "./trend-text";
import { useInTurn } from "./use-in-turn";

const Plot = dynamic(() => import("./plot"), { ssr: false });
const ChartTable = dynamic(() => import("./chart-table"), { ssr: false });

type ChartPanelProps = { spec: ChartSpec; window: TimeWindow; annotations: readonly Annotation[] };

/** A chart of named series, which it reads from the server. */
export function ChartPanel(props: ChartPanelProps) {
  const { spec, window } = props;
  const series = useMemo(() => seriesOf(spec), [spec]);
  const { from, to } = window;
  const { data, isPlaceholderData, error } = useQuery({
    queryKey: ["telemetry.series", series, from, to],
    queryFn: ({ signal }) =>
      consoleApi.telemetry.series.query(
        { series: series as SeriesId[], from: new Date(from).toISOString(), to: new Date(to).toISOString() },
        { signal },
      ),
    placeholderData: previous => previous,
    gcTime: 10_000,
  });

  return <ChartView {...props} data={data} isOld={isPlaceholderData} error={error} />;
}

type ChartViewProps = ChartPanelProps & {
  data: LineData | undefined;
  error: unknown;
  /** `data` belongs to the earlier window; the chart does not change until the new data arrives. */
  isOld?: boolean;
};

/** A chart of lines that its caller has read. */
export function ChartView({ isOld = false, ...next }: ChartViewProps) {
  const { spec, annotations, error } = next;
  const latest = useMemo(() => ({ data: next.data, window: next.window }), [next.data, next.window]);
  const { data, window } = useInTurn(latest, isOld);
  const id = useId();
  const [asTable, setAsTable] = useState(false);
  const drawing = useMemo(() => data && toDrawing(data, spec, window), [data, spec, window]);
  const right = spec.endLabels ? PLOT.rightWithLabels : PLOT.right;
  return (
    <section className="panel chart" aria-labelledby={id}>
      <div className="flex items-start justify-between gap-2">
        <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <h2 id={id} title={spec.about}>
            {spec.title}
          </h2>
          <code className="font-mono text-[0.6875rem] wrap-anywhere text-faint">{spec.metric}</code>
        </div>
        <TableButton title={spec.title} asTable={asTable} onClick={() => setAsTable(!asTable)} />
      </div>
      <div className="chart-now">
        {drawing ? (
          <CurrentValue spec={spec} drawing={drawing} />
        ) : (
          <span className="skeleton">00.0 /s rising</span>
        )}
      </div>
      {(spec.stacked || spec.legend) && <Legend spec={spec} />}
      {asTable && drawing ? (
        <ChartTable spec={spec} points={drawing.points} />
      ) : (
        <div className="plot">
          {drawing && (
            <>
              <div className="plot-lines">
                <Plot spec={spec} points={drawing.points} window={window} top={drawing.top} right={right} />
              </div>
              <PlotOverlay {...drawing} spec={spec} window={window} right={right} annotations={annotations} />
            </>
          )}
          {!drawing && Boolean(error) && <ChartFailure error={error} />}
        </div>
      )}
    </section>
  );
}

type Drawing = ReturnType<typeof toDrawing>;

function toDrawing(data: LineData, spec: ChartSpec, { from, to }: TimeWindow) {
  const points = toPoints(data, spec.lines);
  const headline = toPoints(data, [{ id: spec.headline, label: "", colour: "" }]);
  const within = { from, to, stepMs: data.stepMs };
  const heights = points.map(point => {
    const values = spec.lines.map(({ id }) => point[id] ?? 0);
    return spec.stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
  });
  const value = currentValue(headline, spec.headline, within);
  const { limit } = spec;
  const isOver = limit !== undefined && value !== null && value > limit.value;
  return {
    points,
    gaps: findGaps(points, spec.lines, within),
    value,
    state: isOver && data.stepMs <= MAX_STATE_STEP_MS ? limit.state : undefined,
    trend: trendOf(headline, spec.headline),
    top: topOf(spec, Math.max(0, ...heights)),
  };
}

/** A ratio ends at 100 %, even when the rounded parts sum to more. */
function topOf({ unit, leastTop }: ChartSpec, highest: number): number {
  const top = niceTop(highest, leastTop);
  return unit === "ratio" ? Math.min(top, 1) : top;
}

function CurrentValue({ spec, drawing }: { spec: ChartSpec; drawing: Drawing }) {
  const { value, state, trend } = drawing;
  return (
    <>
      <span className="chart-value">
        <Measured value={value} unit={spec.unit} />
      </span>
      {state && <StateBadge state={state} word="over the limit" />}
      {trend && value !== null && <TrendText spec={spec} trend={trend} value={value} />}
    </>
  );
}

type TableButtonProps = { title: string; asTable: boolean; onClick: () => void };

function TableButton({ title, asTable, onClick }: TableButtonProps) {
  return (
    <button
      type="button"
      className="btn btn-quiet btn-small -mt-1 -mr-1.5 px-1!"
      aria-pressed={asTable}
      aria-label={`${title}: show as ${asTable ? "a chart" : "a table"}`}
      title={asTable ? "Show as a chart" : "Show as a table"}
      onClick={onClick}
    >
      <Table2 size={14} aria-hidden="true" />
    </button>
  );
}

function Legend({ spec: { lines } }: { spec: ChartSpec }) {
  return (
    <div className="chart-legend">
      {lines.map(({ id, label, colour }) => (
        <span key={id}>
          <span className="swatch" style={{ "--colour": colour } as React.CSSProperties} />
          {label}
        </span>
      ))}
    </div>
  );
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
