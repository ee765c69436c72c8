import { z } from "zod";
import { fillingRate } from "../domain/lab/scenario";
import { SYMBOL_PATTERN } from "../domain/orders/order";
import { flag, numberOption, readOptions, UsageError, wholeNumberOption } from "../runtime/read-options";

export const GATE_USAGE = `Usage: npm run load -- gate [options]
  --url URL          the server (http://localhost:3000)
  --rate N           checks per second (200, at most 20000)
  --signups N        signups per second (5, at most 1000)
  --seconds N        duration (60)
  --taken RATIO      ratio of the checks that ask for a taken name (0.2)
  --clients N        send N addresses in X-Forwarded-For; the server has to trust one proxy hop
  --compare          compare each answer with the database (DATABASE_URL, or the one of \`npm start\`)
  --allow-remote     allow a server on another machine; ask its owner first
  --json             print the report as one line of JSON at the end`;

export const ORDERS_USAGE = `Usage: npm run load -- orders [options]
  --url URL          the server (http://localhost:3000)
  --symbol SYMBOL    the symbol of the orders (DOGE)
  --rate N           orders per second (500, at most 20000)
  --seconds N        duration (60)
  --allow-remote     allow a server on another machine; ask its owner first
Environment: FLOODGATE_TOKEN, a service token of the console with the scope orders.submit
and the accounts *, since it sends orders of 1,050 accounts.
The accounts market-maker-0 to -49 sell on credit. \`npm start\` allows it with its own database; elsewhere
start the engine with ENGINE_CREDIT_ACCOUNTS=market-maker*, else it rejects what they do not hold.
The server limits each client to ORDERS_PER_SECOND.`;

export const SCENARIO_USAGE = `Usage: npm run load -- scenario random|hash|split|all [options]
  --symbol SYMBOL    the hot symbol (DOGE)
  --rate N           orders per second (94 % of the capacity of all shards)
  --seconds N        duration of the traffic (5)
  --shards N         shards of the log, each 1,000 records and 1 MB per second (5)
  --producers N      simulated producers (4)
  --seed N           the same seed gives the same traffic (1)
  --json             print the results as one line of JSON at the end`;

const url = z
  .string()
  .refine(text => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), "is not an http address.")
  .transform(text => new URL(text))
  .default(new URL("http://localhost:3000"));
const symbol = z.string().regex(SYMBOL_PATTERN, "is not a symbol.").default("DOGE");

const gateSchema = z.object({
  url,
  rate: numberOption(0, 20_000).default(200),
  signups: numberOption(0, 1_000).default(5),
  seconds: numberOption(1, 86_400).default(60),
  taken: numberOption(0, 1).default(0.2),
  clients: wholeNumberOption(0, 100_000).default(0),
  compare: flag,
  "allow-remote": flag,
  json: flag,
});

export type GateLoadOptions = Omit<z.output<typeof gateSchema>, "url"> & { url: string };

/** @throws UsageError */
export function readGateOptions(args: string[]): GateLoadOptions {
  const { options } = readOptions(args, gateSchema);
  return { ...options, url: allowedOrigin(options) };
}

const ordersSchema = z.object({
  url,
  symbol,
  rate: wholeNumberOption(1, 20_000).default(500),
  seconds: wholeNumberOption(1, 86_400).default(60),
  "allow-remote": flag,
});

export type OrdersLoadOptions = { url: string; symbol: string; rate: number; seconds: number };

/** @throws UsageError */
export function readOrdersOptions(args: string[]): OrdersLoadOptions {
  const { options } = readOptions(args, ordersSchema);
  return { ...options, url: allowedOrigin(options) };
}

export const SCENARIOS = ["random", "hash", "split", "all"] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

const scenarioSchema = z.object({
  symbol,
  rate: wholeNumberOption(0, 200_000).default(0),
  seconds: wholeNumberOption(4, 600).default(5),
  shards: wholeNumberOption(1, 100).default(5),
  producers: wholeNumberOption(1, 50).default(4),
  seed: wholeNumberOption(0, 2 ** 31).default(1),
  json: flag,
});

/** @throws UsageError */
export function readScenarioOptions(args: string[]) {
  const { options, positionals } = readOptions(args, scenarioSchema, 1);
  const scenario = SCENARIOS.find(name => name === positionals[0]);
  if (!scenario) throw new UsageError(`Give one of the scenarios ${SCENARIOS.join(", ")}.`);
  return { ...options, scenario, rate: options.rate || fillingRate(options.shards) };
}

function allowedOrigin({ url, "allow-remote": allowRemote }: { url: URL; "allow-remote": boolean }): string {
  const isLoopback = /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(url.hostname);
  if (isLoopback || allowRemote) return url.origin;
  throw new UsageError(
    `${url.hostname} is another machine. Ask the owner of the server, then add --allow-remote.`,
  );
}
