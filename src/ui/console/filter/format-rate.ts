/** A ratio: "1.2 %", and below a thousandth "1 in 40,000". */
export function formatRate(ratio: number): string {
  if (ratio === 0) return "0 %";
  if (ratio < 1e-9) return "less than 1 in a billion";
  if (ratio < 0.001) return `1 in ${Number((1 / ratio).toPrecision(2)).toLocaleString("en-US")}`;
  return `${Number((ratio * 100).toPrecision(2))} %`;
}

/** A fill ratio: one decimal below 10 %, so that a filter with few names does not look empty. */
export function formatFill(ratio: number): string {
  if (ratio > 0 && ratio < 0.001) return "under 0.1 %";
  return `${(ratio * 100).toFixed(ratio < 0.1 && ratio > 0 ? 1 : 0)} %`;
}
