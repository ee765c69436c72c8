import { hashKeyOf, type Shard, type ShardMap, shardOfKey } from "./hash-range";

/** A symbol's partition key and the shard it lands on. */
export type SubKey = { partitionKey: string; shardId: string };

/** Ratio of each shard's limits that is in use, 0 to 1; shards that are not named count as idle. */
export type ShardLoads = ReadonlyMap<string, number>;

/** Enough suffixes to meet each of 500 shards with near certainty; found ones end the search earlier. */
const SUFFIXES_TRIED = 20_000;

/** As in the article: SYMBOL-1 to SYMBOL-N, wherever they land. Kept for comparison. */
export function placePlain(symbol: string, factor: number, { open }: ShardMap): SubKey[] {
  if (factor === 1) return [subKey(symbol, open)];
  return Array.from({ length: factor }, (_, i) => subKey(`${symbol}-${i + 1}`, open));
}

/** The sub-keys that a symbol could have, and where they land: hashed once, however many factors are tried. */
export class Suffixes {
  readonly home: SubKey;
  private readonly found: SubKey[] = [];

  constructor(
    private readonly symbol: string,
    readonly map: ShardMap,
  ) {
    this.home = subKey(symbol, map.open);
  }

  /** @param suffix from 1 on, asked for in order */
  at(suffix: number): SubKey {
    this.found[suffix] ??= subKey(`${this.symbol}-${suffix}`, this.map.open);
    return this.found[suffix];
  }
}

/**
 * Picks suffixes that land on min(factor, shards) distinct shards, the least loaded ones; the shard of
 * the plain symbol counts as one of them when loads tie, so that splitting moves as little as it can.
 */
export function placePlanned(
  symbol: string,
  factor: number,
  map: ShardMap,
  loads: ShardLoads = new Map(),
): SubKey[] {
  return pickSuffixes(new Suffixes(symbol, map), factor, loads);
}

/** The same for suffixes that are at hand. */
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
 * Where the keys that were once chosen for a split land by now: alike for all who know the shards, whatever
 * came between. With a reshard a key goes where its hash says. Of keys that fall on one shard the first one
 * stays, and others of the symbol take the place of the rest, on shards without one, in an order of the
 * symbol's own, so that a merge does not send every symbol to the same shard.
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
