/** A share as people compare it: "1.2 %", and below a thousandth "1 in 40,000". */
export function formatRate(share: number): string {
  if (share === 0) return "0 %";
  if (share < 1e-9) return "less than 1 in a billion";
  if (share < 0.001) return `1 in ${Number((1 / share).toPrecision(2)).toLocaleString("en-US")}`;
  return `${Number((share * 100).toPrecision(2))} %`;
}

/** How full: one decimal below 10 %, so that a filter with few names does not look empty. */
export function formatFill(share: number): string {
  if (share > 0 && share < 0.001) return "under 0.1 %";
  return `${(share * 100).toFixed(share < 0.1 && share > 0 ? 1 : 0)} %`;
}
