"use client";

import { memo } from "react";
import { Area, CartesianGrid, ComposedChart, Line, Tooltip, XAxis, YAxis } from "recharts";
import { axisText } from "../parts/format";
import type { ChartSpec } from "./chart-spec";
import { PLOT } from "./plot-box";
import type { Gap, Point } from "./points";
import { Reading } from "./reading";
import { tickText, timeTicks } from "./scale";

export type PlotProps = { spec: ChartSpec; points: Point[]; window: Gap; top: number; right: number };

/** A value between two gaps has no line: it gets a dot. */
function lonelyDot(points: Point[], id: ChartSpec["headline"], colour: string) {
  const isLonely = (i: number) =>
    points[i]?.[id] != null && points[i - 1]?.[id] == null && points[i + 1]?.[id] == null;
  if (!points.some((_, i) => isLonely(i))) return false;
  return ({ cx, cy, index, key }: { cx?: number; cy?: number; index?: number; key?: React.Key | null }) =>
    isLonely(index ?? -1) ? <circle key={key} cx={cx} cy={cy} r={2} fill={colour} /> : <g key={key} />;
}

/** The only user of recharts. What is drawn above the lines is HTML: see plot-overlay. */
export const Plot = memo(function Plot({ spec, points, window, top, right }: PlotProps) {
  const span = window.to - window.from;
  return (
    <ComposedChart
      responsive
      style={{ width: "100%", height: "100%" }}
      data={points}
      syncId="console"
      syncMethod="value"
      margin={{ top: PLOT.top, right, bottom: 0, left: 0 }}
      title={`${spec.title}. Arrow keys move the cursor.`}
    >
      <CartesianGrid vertical={false} stroke="var(--line)" />
      <XAxis
        dataKey="at"
        type="number"
        domain={[window.from, window.to]}
        allowDataOverflow
        ticks={timeTicks(window.from, window.to)}
        tickFormatter={(at: number) => tickText(at, span)}
        height={PLOT.bottom}
        tickLine={false}
        axisLine={{ stroke: "var(--line)" }}
        tickMargin={4}
      />
      <YAxis
        type="number"
        domain={[0, top]}
        allowDataOverflow
        ticks={[0, top / 2, top]}
        tickFormatter={(value: number) => axisText(value, spec.unit)}
        width={PLOT.left}
        tickLine={false}
        axisLine={false}
        tickMargin={4}
      />
      <Tooltip
        isAnimationActive={false}
        cursor={{ stroke: "var(--ink-soft)", strokeWidth: 1 }}
        content={({ active, label, payload }) =>
          active && payload?.[0] ? (
            <Reading spec={spec} at={Number(label)} span={span} point={payload[0].payload as Point} />
          ) : null
        }
      />
      {spec.lines.map(({ id, colour }) => {
        const common = {
          dataKey: id,
          stroke: colour,
          strokeWidth: 1.5,
          isAnimationActive: false,
          connectNulls: false,
          dot: lonelyDot(points, id, colour),
          activeDot: { r: 3, strokeWidth: 0, fill: colour },
        };
        return spec.stacked ? (
          <Area
            key={id}
            {...common}
            type="linear"
            stackId="all"
            // No outline: a layer of zeros would draw its colour on top of the others.
            stroke="none"
            fill={colour}
            fillOpacity={0.6}
          />
        ) : (
          <Line key={id} {...common} type="linear" />
        );
      })}
    </ComposedChart>
  );
});

export default Plot;
