import { parseArgs } from "node:util";
import { fillingRate, type ScenarioOptions } from "../domain/lab/scenario";
import { SYMBOL_PATTERN } from "../domain/orders/order";

export const SCENARIOS = ["random", "hash", "split", "all"] as const;
export type ScenarioCommand = ScenarioOptions & {
  scenario: (typeof SCENARIOS)[number];
  json: boolean;
};

export const SCENARIO_USAGE = `npm run load -- scenario random|hash|split|all [options]
  --symbol S         the hot symbol (DOGE)
  --rate N           orders per second (94 % of what all shards take)
  --seconds N        how long orders are sent (5)
  --shards N         shards of the log, each 1,000 records and 1 MB per second (5)
  --producers N      processes that submit, simulated (4)
  --seed N           the same seed is the same traffic (1)
  --json             one line for programs at the end`;

/** @throws Error with what is wrong in words */
export function readScenarioOptions(args: string[]): ScenarioCommand {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      symbol: { type: "string", default: "DOGE" },
      rate: { type: "string", default: "0" },
      seconds: { type: "string", default: "5" },
      shards: { type: "string", default: "5" },
      producers: { type: "string", default: "4" },
      seed: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
    },
  });
  const [name, scenario, ...rest] = positionals;
  if (name !== "scenario" || !SCENARIOS.includes(scenario as ScenarioCommand["scenario"]) || rest.length > 0)
    throw new Error(
      `There are the scenarios ${SCENARIOS.join(", ")}, not "${positionals.slice(1).join(" ")}".`,
    );
  if (!SYMBOL_PATTERN.test(values.symbol)) throw new Error(`--symbol ${values.symbol} is no symbol.`);
  const number = (key: "rate" | "seconds" | "shards" | "producers" | "seed", min: number, max: number) => {
    const value = Number(values[key]);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw new Error(`--${key} ${values[key]} is not a whole number from ${min} to ${max}.`);
  };
  const shards = number("shards", 1, 100);
  return {
    scenario: scenario as ScenarioCommand["scenario"],
    symbol: values.symbol,
    rate: number("rate", 0, 200_000) || fillingRate(shards),
    seconds: number("seconds", 4, 600),
    shards,
    producers: number("producers", 1, 50),
    seed: number("seed", 0, 2 ** 31),
    json: values.json,
  };
}
