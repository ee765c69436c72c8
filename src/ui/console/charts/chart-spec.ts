import type { Unit } from "../parts/format";
import type { Line, LineId } from "./points";

export type Limit = { value: number; label: string };

export type ChartSpec = {
  /** A fact that the current value completes: "Database answers" 4.2 %. */
  title: string;
  /** What is counted and what a high value means, for the hover and the table. */
  about: string;
  unit: Unit;
  lines: readonly Line[];
  stacked?: boolean;
  /** Names above the chart; stacked lines always have them. */
  legend?: boolean;
  /** A share that can go beyond the whole, such as a load beyond its limit. */
  isOpenEnded?: boolean;
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
