import type { Unit } from "../parts/format";
import type { Line, LineId } from "./points";

export type Limit = {
  value: number;
  label: string;
  /** What a current value above the limit means. Absent: a burst may exceed it, or the page's summary judges it. */
  state?: "warning" | "critical";
};

export type ChartSpec = {
  /** A noun phrase that the current value completes: "Database fallback rate" 4.2 %. */
  title: string;
  /** The metric's name in /metrics and Grafana. */
  metric: string;
  /** What is counted and what a high value means, for the hover. */
  about: string;
  unit: Unit;
  lines: readonly Line[];
  stacked?: boolean;
  /** Names above the chart; stacked lines always have them. */
  legend?: boolean;
  /** The series that the current value and the trend are read from. */
  headline: LineId;
  limit?: Limit;
  /** The axis reaches at least this high, so that noise near zero looks small. */
  leastTop: number;
  /** Names at the ends of the lines instead of a legend. */
  endLabels?: boolean;
};

/** All series of one chart, for its one query. */
export const seriesOf = ({ lines, headline }: ChartSpec): LineId[] => [
  ...new Set([headline, ...lines.flatMap(({ id, per }) => (per ? [id, per] : [id]))]),
];
