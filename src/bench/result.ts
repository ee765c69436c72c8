import { percentile } from "../domain/percentile";
/** One side over the other, and what the project promises of it. */
export type Ratio = { value: number } & ({ atLeast: number } | { atMost: number });

export type BenchResult = {
  bench: string;
  /** Requests or events per second, or milliseconds where the name ends in Ms, megabytes in Mb, a ratio in Ratio, a share of a core in Share. */
  rates: Record<string, number>;
  ratios: Record<string, Ratio>;
  /** What the machine did to the measurement; its figures are to be read with care then. */
  disturbances?: string[];
};

/** A table for people; with `json` a last line for programs. */
export function printResult({ bench, rates, ratios, disturbances }: BenchResult, json: boolean): void {
  console.log(`\n${bench}`);
  console.table(
    Object.fromEntries(
      Object.entries(rates).map(([name, value]) => [name, { value: round(value), unit: unitOf(name) }]),
    ),
  );
  console.table(
    Object.fromEntries(
      Object.entries(ratios).map(([name, ratio]) => {
        const promised = "atLeast" in ratio ? `>= ${round(ratio.atLeast)}` : `<= ${round(ratio.atMost)}`;
        return [name, { ratio: round(ratio.value), promised, kept: isKept(ratio) ? "yes" : "NO" }];
      }),
    ),
  );
  for (const text of disturbances ?? []) console.log(`disturbed: ${text}`);
  if (!json) return;
  const plain = Object.fromEntries(Object.entries(ratios).map(([name, { value }]) => [name, round(value)]));
  const roundedRates = Object.fromEntries(Object.entries(rates).map(([name, value]) => [name, round(value)]));
  console.log(JSON.stringify({ bench, rates: roundedRates, ratios: plain, disturbances }));
}

function isKept(ratio: Ratio): boolean {
  return "atLeast" in ratio ? ratio.value >= ratio.atLeast : ratio.value <= ratio.atMost;
}

const UNITS: [suffix: string, unit: string][] = [
  ["Ms", "ms"],
  ["Mb", "MB"],
  ["Ratio", ""],
  ["Share", "of a core"],
];

function unitOf(name: string): string {
  return UNITS.find(([suffix]) => name.endsWith(suffix))?.[1] ?? "per second";
}

export const median = (values: number[]): number => percentile(values, 0.5);

function round(value: number): number {
  const digits = Math.abs(value) < 1 ? 10_000 : 100;
  return Math.round(value * digits) / digits;
}
