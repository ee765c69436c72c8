export type Ratio = { value: number } & ({ atLeast: number } | { atMost: number });

export type BenchResult = {
  bench: string;
  /** Requests or events per second, or milliseconds where the name ends in Ms. */
  rates: Record<string, number>;
  /** One side over the other, and the least (or most) that the project promises. */
  ratios: Record<string, Ratio>;
};

/** A table for people; with `json` a last line for programs. */
export function printResult({ bench, rates, ratios }: BenchResult, json: boolean): void {
  console.log(`\n${bench}`);
  console.table(
    Object.fromEntries(Object.entries(rates).map(([name, value]) => [name, { "per second": round(value) }])),
  );
  console.table(
    Object.fromEntries(
      Object.entries(ratios).map(([name, ratio]) => [
        name,
        {
          ratio: round(ratio.value),
          promised: "atLeast" in ratio ? `>= ${ratio.atLeast}` : `<= ${ratio.atMost}`,
          kept: isKept(ratio) ? "yes" : "NO",
        },
      ]),
    ),
  );
  if (!json) return;
  const plain = Object.fromEntries(Object.entries(ratios).map(([name, { value }]) => [name, round(value)]));
  const roundedRates = Object.fromEntries(Object.entries(rates).map(([name, value]) => [name, round(value)]));
  console.log(JSON.stringify({ bench, rates: roundedRates, ratios: plain }));
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function isKept(ratio: Ratio): boolean {
  return "atLeast" in ratio ? ratio.value >= ratio.atLeast : ratio.value <= ratio.atMost;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
