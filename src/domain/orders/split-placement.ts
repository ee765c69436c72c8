import { hashKeyOf, type Shard, type ShardMap, shardOfKey } from "./hash-range";

/** A symbol's partition key and the shard it lands on. */
export type SubKey = { partitionKey: string; shardId: string };

/** Utilization of each shard, 0 to 1; a shard that is not named counts as idle. */
export type ShardLoads = ReadonlyMap<string, number>;

/** Enough suffixes to reach each of 500 shards almost certainly. The search ends once all are found. */
const SUFFIXES_TRIED = 20_000;

/** As in the article: SYMBOL-1 to SYMBOL-N on any shards. For comparison. */
export function placePlain(symbol: string, factor: number, { open }: ShardMap): SubKey[] {
  if (factor === 1) return [subKey(symbol, open)];
  return Array.from({ length: factor }, (_, i) => subKey(`${symbol}-${i + 1}`, open));
}

/** The possible sub-keys of a symbol and their shards. Each is hashed once for all factors that are tried. */
export class Suffixes {
  readonly home: SubKey;
  private readonly found: SubKey[] = [];

  constructor(
    private readonly symbol: string,
    readonly map: ShardMap,
  ) {
    this.home = subKey(symbol, map.open);
  }

  /** @param suffix from 1 on, requested in order */
  at(suffix: number): SubKey {
    this.found[suffix] ??= subKey(`${this.symbol}-${suffix}`, this.map.open);
    return this.found[suffix];
  }
}

/**
 * Picks suffixes that land on min(factor, shards) distinct shards, the least loaded ones. When loads are
 * equal the shard of the plain symbol is one of them, so that a split moves as little as possible.
 */
export function placePlanned(
  symbol: string,
  factor: number,
  map: ShardMap,
  loads: ShardLoads = new Map(),
): SubKey[] {
  return pickSuffixes(new Suffixes(symbol, map), factor, loads);
}

/** As placePlanned, for suffixes that were hashed before. */
export function pickSuffixes(suffixes: Suffixes, factor: number, loads: ShardLoads): SubKey[] {
  const { home, map } = suffixes;
  if (factor === 1) return [home];
  const load = (id: string) => loads.get(id) ?? 0;
  const wanted = new Set(
    [...map.open]
      .sort(
        (a, b) =>
          load(a.id) - load(b.id) ||
          Number(b.id === home.shardId) - Number(a.id === home.shardId) ||
          order(a.id, b.id),
      )
      .slice(0, Math.min(factor, map.open.length))
      .map(({ id }) => id),
  );
  const found = findOn(wanted, suffixes);
  return found.length > 0 ? found : [home];
}

/**
 * Where the stored keys of a split land now: the same in every process that knows the shards. If a reshard
 * puts several keys on one shard, the first stays, and new keys on free shards replace the others. The order
 * of the free shards depends on the symbol, so that a merge of shards does not send all symbols to one shard.
 */
export function placeChosen(symbol: string, chosen: readonly string[], map: ShardMap): SubKey[] {
  const taken = new Set<string>();
  const kept = chosen.map(partitionKey => {
    const found = subKey(partitionKey, map.open);
    return taken.size === taken.add(found.shardId).size ? null : found;
  });
  const missing = kept.filter(found => found === null).length;
  if (missing === 0) return kept as SubKey[];
  const free = map.open
    .filter(({ id }) => !taken.has(id))
    .map(({ id }) => ({ id, rank: hashKeyOf(`${symbol} ${id}`) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, missing);
  const spare = findOn(new Set(free.map(({ id }) => id)), new Suffixes(symbol, map));
  return kept.flatMap(found => found ?? spare.shift() ?? []);
}

/** The lowest suffix for each of these shards. */
function findOn(wanted: Set<string>, suffixes: Suffixes): SubKey[] {
  const found: SubKey[] = [];
  for (let suffix = 1; wanted.size > 0 && suffix <= SUFFIXES_TRIED; suffix += 1) {
    const candidate = suffixes.at(suffix);
    if (wanted.delete(candidate.shardId)) found.push(candidate);
  }
  return found;
}

function subKey(partitionKey: string, open: readonly Shard[]): SubKey {
  return { partitionKey, shardId: shardOfKey(open, partitionKey).id };
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
