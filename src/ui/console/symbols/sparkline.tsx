import { memo } from "react";
import { formatQuantity } from "../parts/format";

type SparklineProps = { label: string; values: readonly (number | null)[] };

const [WIDTH, HEIGHT] = [96, 22];

/** The last minutes as a small line; times without data are grey bars, not zero. Drawn again only when values change. */
export const Sparkline = memo(function Sparkline({ label, values }: SparklineProps) {
  const known = values.filter(value => value !== null);
  const top = Math.max(1, ...known);
  const step = WIDTH / Math.max(1, values.length);
  const y = (value: number) => HEIGHT - 1 - (value / top) * (HEIGHT - 3);
  const last = known.at(-1);
  const text =
    last === undefined
      ? `${label}: no data`
      : `${label}: now ${formatQuantity(last, "perSecond")}, at most ${formatQuantity(Math.max(...known), "perSecond")}`;
  return (
    <svg className="sparkline" width={WIDTH} height={HEIGHT} role="img" aria-label={text}>
      <title>{text}</title>
      {runsOf(values).map(({ from, list }) =>
        list === null ? null : (
          <polyline
            key={from}
            points={list.map((value, i) => `${(from + i + 0.5) * step},${y(value)}`).join(" ")}
          />
        ),
      )}
      {runsOf(values).map(({ from, list, count }) =>
        list === null ? (
          <rect
            key={from}
            className="sparkline-gap"
            x={from * step}
            y={HEIGHT - 4}
            width={count * step}
            height={3}
          />
        ) : null,
      )}
    </svg>
  );
});

type Run = { from: number; count: number; list: number[] | null };

function runsOf(values: readonly (number | null)[]): Run[] {
  const runs: Run[] = [];
  values.forEach((value, from) => {
    const run = runs.at(-1);
    if (value === null) {
      if (run && run.list === null) run.count += 1;
      else runs.push({ from, count: 1, list: null });
    } else if (run?.list) {
      run.list.push(value);
      run.count += 1;
    } else runs.push({ from, count: 1, list: [value] });
  });
  return runs;
}
