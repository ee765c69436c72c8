import { parseArgs } from "node:util";
import type { Api } from "./api-client";
import { FailedError, UsageError } from "./command-errors";

export const USAGE = `Usage: npm run symbols -- <command>      (JSON on stdout)

  list                              every symbol, how it is split, what flows, and what is proposed
  plan <symbol> [--factor <n>]      where each sub-key would land, and each shard's load; changes nothing
  hot  <symbol> [--factor <n>] [--for <minutes>] [--strategy random|account]
  cool <symbol>
  auto <symbol> on|off [--most <n>] [--after <seconds>] [--per-hour <n>]

  --factor <n>       without it: what is recommended from live figures
  --for <minutes>    hot until then (60); 0: until somebody changes it
  --strategy <s>     random: an order goes to any sub-key; account: an account's orders share one (random)
  --plain, --planned suffixes 1 to N, or on distinct, least loaded shards (planned)
                     of a symbol that is split, what is left out of these three stays as it is
  --epoch <n>        fail unless the symbol is at this epoch, as seen in list
  --most <n>         automatic mode splits by at most so many; what is left out stays as it was set
  --after <seconds>  once the symbol has been hot for so long
  --per-hour <n>     and changes it at most so often
  --reason <text>    why, for the audit log

Environment: FLOODGATE_URL (http://localhost:3000), FLOODGATE_TOKEN (a service token of the console
with the scopes symbol.view and symbol.split; for auto also symbol.setAutomatic).
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 no answer in time.
`;

const HOT_MINUTES = 60;
/** What a symbol that is not split becomes, where nothing else is said. */
const NOT_SPLIT = { strategy: "random", placement: "planned" } as const;

/** Runs one command; resolves to what is printed as JSON. @throws UsageError | FailedError | TRPCClientError */
export async function runSymbolsCommand(api: Api, argv: string[]): Promise<unknown> {
  const { values, positionals } = parse(argv);
  const [command, name, state, ...more] = positionals;
  const surplus = command === "auto" ? more : positionals.slice(2);
  if (surplus.length > 0) throw new UsageError(`What is ${surplus.join(" ")}?`);
  const placement = readPlacement(values);
  const reason = values.reason ?? "on the command line";
  const symbol = () => {
    if (name === undefined) throw new UsageError("Which symbol? Such as DOGE.");
    return name;
  };
  const given = number("factor", values.factor, 1);

  switch (command) {
    case "list":
      return api.symbol.list.query();
    case "plan": {
      const factor = given ?? recommendedOf(await find(api, symbol()));
      const request = { symbol: symbol(), factor, placement: placement ?? ("planned" as const) };
      return { factor, ...(await api.symbol.preview.query(request)) };
    }
    case "hot": {
      const minutes = number("for", values.for, 0);
      const strategy = readStrategy(values.strategy);
      const epoch = number("epoch", values.epoch, 0);
      const row = await find(api, symbol());
      const factor = given ?? recommendedOf(row);
      if (factor === 1)
        throw new FailedError(`${symbol()} needs no split: one shard takes it. Say --factor.`);
      const now = row.factor > 1 ? row : NOT_SPLIT;
      const change = {
        symbol: symbol(),
        factor,
        expectedEpoch: epoch ?? row.epoch,
        reason,
        strategy: strategy ?? now.strategy,
        placement: placement ?? now.placement,
        expiresAt: minutes === undefined && row.factor > 1 ? row.expiresAt : hotUntil(minutes ?? HOT_MINUTES),
      };
      return { ...change, ...(await api.symbol.split.mutate(change)) };
    }
    case "cool": {
      const epoch = number("epoch", values.epoch, 0);
      const expectedEpoch = epoch ?? (await find(api, symbol())).epoch;
      const change = { symbol: symbol(), factor: 1, expectedEpoch, expiresAt: null, reason };
      return { ...change, ...(await api.symbol.split.mutate(change)) };
    }
    case "auto": {
      if (state !== "on" && state !== "off") throw new UsageError("Say on or off.");
      const typed = {
        maxFactor: number("most", values.most, 2),
        minHotSeconds: number("after", values.after, 5),
        maxChangesPerHour: number("per-hour", values["per-hour"], 1),
      };
      const { maxFactor, minHotSeconds, maxChangesPerHour, version } = (await find(api, symbol())).automatic;
      const change = {
        symbol: symbol(),
        on: state === "on",
        expectedVersion: version,
        reason,
        maxFactor: typed.maxFactor ?? maxFactor,
        minHotSeconds: typed.minHotSeconds ?? minHotSeconds,
        maxChangesPerHour: typed.maxChangesPerHour ?? maxChangesPerHour,
      };
      await api.symbol.setAutomatic.mutate(change);
      return change;
    }
    default:
      throw new UsageError(command === undefined ? "Which command?" : `There is no command ${command}.`);
  }
}

function parse(argv: string[]) {
  const text = { type: "string" as const };
  const options = {
    factor: text,
    for: text,
    strategy: text,
    epoch: text,
    reason: text,
    most: text,
    after: text,
    "per-hour": text,
    plain: { type: "boolean" as const },
    planned: { type: "boolean" as const },
  };
  try {
    return parseArgs({ args: argv, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function number(name: string, text: string | undefined, min: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min) return value;
  throw new UsageError(`--${name} takes a whole number from ${min} on.`);
}

function readStrategy(text: string | undefined): "random" | "account" | undefined {
  if (text === undefined || text === "random" || text === "account") return text;
  throw new UsageError("--strategy is random or account.");
}

function readPlacement({ plain, planned }: { plain?: boolean; planned?: boolean }) {
  if (plain && planned) throw new UsageError("Say --plain or --planned.");
  return plain ? ("plain" as const) : planned ? ("planned" as const) : undefined;
}

async function find(api: Api, symbol: string) {
  const found = (await api.symbol.list.query()).rows.find(row => row.symbol === symbol);
  if (!found) throw new FailedError(`There is no symbol “${symbol}”.`);
  return found;
}

const hotUntil = (minutes: number) =>
  minutes === 0 ? null : new Date(Date.now() + minutes * 60_000).toISOString();

function recommendedOf({ recommended: factor }: { recommended: number | null }): number {
  if (factor !== null) return factor;
  throw new FailedError(
    "Nothing can be recommended: no server counts, or shards have no limit. Say --factor.",
  );
}
