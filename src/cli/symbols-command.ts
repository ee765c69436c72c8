import { z } from "zod";
import { STRATEGIES } from "../domain/orders/split-plan";
import { MAX_DECIMALS } from "../domain/orders/symbol-listing";
import { flag, readOptions, UsageError, wholeNumberOption } from "../runtime/read-options";
import type { Api } from "./api-client";
import { FailedError } from "./run-command";

export const USAGE = `Usage: npm run symbols -- <command>      (prints JSON)

  list                               all symbols with their splits, live figures and suggestions
  plan  <symbol> [--factor <n>]      the shard of each sub-key and each shard's load; changes nothing
  hot   <symbol> [--factor <n>] [--for <minutes>] [--strategy account|random] [--plain|--planned]
  merge <symbol>
  auto  <symbol> on|off [--most <n>] [--after <seconds>] [--per-hour <n>]

  pending <symbol>                   its open orders, those on their way, and why it can't be delisted now
  add     <symbol> --price-decimals <n> --quantity-decimals <n>
  halt    <symbol> --reason <text>   new orders are refused with this reason; cancels are accepted
  resume  <symbol>
  delist  <symbol>                   only while it is halted, and nothing of it is open or on its way

  --factor <n>       the split factor (recommended from live figures)
  --for <minutes>    the split expires after so many minutes (60); 0: it does not expire
  --strategy <s>     account: an account's orders share a sub-key; random: an order takes any (account)
  --plain, --planned suffixes 1 to N, or suffixes on distinct, least loaded shards (planned)
                     a symbol that is split keeps its values of --for, --strategy and --planned
  --epoch <n>        fail unless the symbol is at this epoch, as shown by list
  --version <n>      for halt, resume and delist: fail unless this is its listingVersion, as shown by list
  --most <n>         the highest factor of automatic mode; --most, --after and --per-hour keep their values
  --after <seconds>  the time that a symbol is hot before automatic mode splits it
  --per-hour <n>     the most changes of automatic mode in an hour
  --price-decimals, --quantity-decimals <n>
                     0 to 12: amounts are whole numbers of 10^-n, at most 10^15 of them
  --reason <text>    for the audit log

Environment: FLOODGATE_URL (http://localhost:3000), FLOODGATE_TOKEN (a service token of the console
with the scopes symbol.view and symbol.split; for auto also symbol.setAutomatic, and for the listing
symbol.add, symbol.halt, symbol.resume and symbol.delist).
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 no answer in time.
`;

const HOT_MINUTES = 60;
/** The defaults of a symbol that is not split. */
const NOT_SPLIT = { strategy: "account", placement: "planned" } as const;

const OPTIONS = z.object({
  factor: wholeNumberOption(1).optional(),
  for: wholeNumberOption(0).optional(),
  strategy: z.enum(STRATEGIES, "is not account or random.").optional(),
  plain: flag,
  planned: flag,
  epoch: wholeNumberOption(0).optional(),
  most: wholeNumberOption(2).optional(),
  after: wholeNumberOption(5).optional(),
  "per-hour": wholeNumberOption(1).optional(),
  "price-decimals": wholeNumberOption(0, MAX_DECIMALS).optional(),
  "quantity-decimals": wholeNumberOption(0, MAX_DECIMALS).optional(),
  version: wholeNumberOption(0).optional(),
  reason: z.string().optional(),
});

type Call = {
  api: Api;
  options: z.output<typeof OPTIONS>;
  symbol: () => string;
  state: string | undefined;
};

const COMMANDS: Record<string, (call: Call) => Promise<unknown>> = {
  list: ({ api }) => api.symbol.list.query(),
  plan,
  hot,
  merge,
  auto: setAutomatic,
  pending: ({ api, symbol }) => api.symbol.pending.query({ symbol: symbol() }),
  add,
  halt,
  resume: async call => call.api.symbol.resume.mutate(await listingOf(call)),
  delist: async call => call.api.symbol.delist.mutate(await listingOf(call)),
};

/** Runs one command; resolves to the JSON to print. @throws UsageError | FailedError | TRPCClientError */
export async function runSymbolsCommand(api: Api, argv: string[]): Promise<unknown> {
  const { options, positionals } = readOptions(argv, OPTIONS, 3);
  const [name = "", symbol, state] = positionals;
  const command = COMMANDS[name];
  if (!command) throw new UsageError(`Give one of the commands ${Object.keys(COMMANDS).join(", ")}.`);
  if (state !== undefined && name !== "auto") throw new UsageError(`Unexpected argument: ${state}`);
  return command({ api, options, symbol: () => readSymbol(symbol), state });
}

async function plan({ api, options, symbol }: Call) {
  const factor = options.factor ?? recommendedOf(await find(api, symbol()));
  const placement = readPlacement(options) ?? NOT_SPLIT.placement;
  return { factor, ...(await api.symbol.preview.query({ symbol: symbol(), factor, placement })) };
}

async function hot({ api, options, symbol }: Call) {
  const placement = readPlacement(options);
  const row = await find(api, symbol());
  const factor = options.factor ?? recommendedOf(row);
  if (factor === 1) {
    throw new FailedError(`${symbol()} needs no split: one shard has the capacity. Give --factor.`);
  }
  const isSplit = row.factor > 1;
  const current = isSplit ? row : NOT_SPLIT;
  const keepsExpiry = options.for === undefined && isSplit;
  const change = {
    symbol: symbol(),
    factor,
    expectedEpoch: options.epoch ?? row.epoch,
    reason: reasonOf(options),
    strategy: options.strategy ?? current.strategy,
    placement: placement ?? current.placement,
    expiresAt: keepsExpiry ? row.expiresAt : expiryAfter(options.for ?? HOT_MINUTES),
  };
  return { ...change, ...(await api.symbol.split.mutate(change)) };
}

async function merge({ api, options, symbol }: Call) {
  const change = {
    symbol: symbol(),
    factor: 1,
    expectedEpoch: options.epoch ?? (await find(api, symbol())).epoch,
    expiresAt: null,
    reason: reasonOf(options),
  };
  return { ...change, ...(await api.symbol.split.mutate(change)) };
}

async function setAutomatic({ api, options, symbol, state }: Call) {
  if (state !== "on" && state !== "off") throw new UsageError("Give on or off after the symbol.");
  const current = (await find(api, symbol())).automatic;
  const change = {
    symbol: symbol(),
    on: state === "on",
    expectedVersion: current.version,
    reason: reasonOf(options),
    maxFactor: options.most ?? current.maxFactor,
    minHotSeconds: options.after ?? current.minHotSeconds,
    maxChangesPerHour: options["per-hour"] ?? current.maxChangesPerHour,
  };
  await api.symbol.setAutomatic.mutate(change);
  return change;
}

async function add({ api, options, symbol }: Call) {
  const { "price-decimals": priceDecimals, "quantity-decimals": quantityDecimals } = options;
  const added = symbol();
  if (priceDecimals === undefined || quantityDecimals === undefined)
    throw new UsageError("Give --price-decimals and --quantity-decimals, such as 2 and 8.");
  const change = { symbol: added, priceDecimals, quantityDecimals, reason: reasonOf(options) };
  return { ...change, ...(await api.symbol.add.mutate(change)) };
}

async function halt(call: Call) {
  const name = call.symbol();
  if (call.options.reason === undefined)
    throw new UsageError(`Give --reason: the clients whose orders of ${name} are refused see it.`);
  return call.api.symbol.halt.mutate(await listingOf(call));
}

async function listingOf({ api, options, symbol }: Call) {
  const expectedVersion = options.version ?? (await find(api, symbol())).listingVersion;
  return { symbol: symbol(), expectedVersion, reason: reasonOf(options) };
}

const reasonOf = ({ reason }: Call["options"]) => reason ?? "on the command line";

function readSymbol(text: string | undefined): string {
  if (text === undefined) throw new UsageError("Give a symbol, such as DOGE.");
  return text;
}

function readPlacement({ plain, planned }: { plain: boolean; planned: boolean }) {
  if (plain && planned) throw new UsageError("Give either --plain or --planned.");
  if (!plain && !planned) return undefined;
  return plain ? ("plain" as const) : ("planned" as const);
}

async function find(api: Api, symbol: string) {
  const found = (await api.symbol.list.query()).rows.find(row => row.symbol === symbol);
  if (!found) throw new FailedError(`There is no symbol “${symbol}”.`);
  return found;
}

const expiryAfter = (minutes: number) =>
  minutes === 0 ? null : new Date(Date.now() + minutes * 60_000).toISOString();

function recommendedOf({ recommended }: { recommended: number | null }): number {
  if (recommended !== null) return recommended;
  throw new FailedError(
    "No factor can be recommended: no server reports figures, or shards have no limit. Give --factor.",
  );
}
