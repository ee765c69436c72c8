import { AppError } from "../app-error";
import type { Shard, ShardMap } from "./hash-range";
import type { FactorInForce } from "./split-plan";

/** Splits a shard into two halves, or merges it with a shard whose range meets its own. */
export type ShardChange =
  | { kind: "split"; shardId: string }
  | { kind: "merge"; shardId: string; neighbourId: string };

/** `opened` takes over the hash ranges of `closed`; `after` are all open shards, the new ones last. */
export type ShardChangeEffect = {
  closed: readonly Shard[];
  opened: readonly Shard[];
  after: readonly Shard[];
};

/** A shard's id is its number, in Redis and in Kinesis. */
export const SHARD_ID = /^\d{1,12}$/;

/** More would be too many to watch: the figures of each shard are counted apart. */
export const MAX_SHARDS = 500;

/**
 * The shards after a change. New shards get the next numbers, as in Redis and in Kinesis: the highest number
 * is always an open shard's, since a shard's successors have higher ones.
 * @throws AppError NOT_FOUND (no such open shard) | BAD_REQUEST (not adjacent, too small, too many shards)
 */
export function applyShardChange({ open }: Pick<ShardMap, "open">, change: ShardChange): ShardChangeEffect {
  const next = Math.max(...open.map(({ id }) => Number(id))) + 1;
  const { closed, opened } =
    change.kind === "split" ? splitOf(open, change.shardId, next) : mergeOf(open, change, next);
  return { closed, opened, after: [...open.filter(shard => !closed.includes(shard)), ...opened] };
}

function splitOf(open: readonly Shard[], shardId: string, next: number) {
  if (open.length >= MAX_SHARDS)
    throw new AppError("BAD_REQUEST", `There are ${open.length} shards. The most is ${MAX_SHARDS}.`);
  const parent = openShard(open, shardId);
  if (parent.startHash === parent.endHash)
    throw new AppError("BAD_REQUEST", `Shard ${shardId} has one hash key. It cannot be split.`);
  const middle = (parent.startHash + parent.endHash) / 2n;
  return {
    closed: [parent],
    opened: [
      { id: String(next), startHash: parent.startHash, endHash: middle },
      { id: String(next + 1), startHash: middle + 1n, endHash: parent.endHash },
    ],
  };
}

function mergeOf(
  open: readonly Shard[],
  { shardId, neighbourId }: { shardId: string; neighbourId: string },
  next: number,
) {
  const [first, second] = [openShard(open, shardId), openShard(open, neighbourId)];
  const [low, high] = first.startHash < second.startHash ? [first, second] : [second, first];
  if (low.endHash + 1n !== high.startHash) {
    const neighbours = neighboursOf(open, shardId).join(" or ");
    throw new AppError(
      "BAD_REQUEST",
      `Shards ${shardId} and ${neighbourId} are not adjacent. ${
        neighbours === "" ? `Shard ${shardId} has no neighbour` : `Merge ${shardId} with ${neighbours}`
      }.`,
    );
  }
  return {
    closed: [low, high],
    opened: [{ id: String(next), startHash: low.startHash, endHash: high.endHash }],
  };
}

/** The shards below and above, whose ranges meet the shard's: one at an end of the hash space, else two. */
export function neighboursOf(open: readonly Shard[], shardId: string): string[] {
  const { startHash, endHash } = openShard(open, shardId);
  return [
    ...open.filter(shard => shard.endHash + 1n === startHash),
    ...open.filter(shard => shard.startHash === endHash + 1n),
  ].map(({ id }) => id);
}

/**
 * Why the shards may not be reduced to `count`: a symbol is split by more than that, and two of its sub-keys
 * would share a shard. Null: nothing is against it.
 */
export function mergeRefusal(count: number, factors: readonly FactorInForce[]): string | null {
  const tooLarge = factors.filter(({ factor }) => factor > count);
  const largest = tooLarge.toSorted((a, b) => b.factor - a.factor || (a.symbol < b.symbol ? -1 : 1))[0];
  if (!largest) return null;
  const { symbol, factor } = largest;
  const others = tooLarge.length - 1;
  const also = others === 0 ? "" : ` (and ${others} more ${others === 1 ? "symbol" : "symbols"})`;
  return (
    `${count} ${count === 1 ? "shard" : "shards"} would be open, but ${symbol} is split by ${factor}${also}. ` +
    `First merge ${symbol}${count === 1 ? "" : `, or split it by at most ${count}`}; then merge the shards.`
  );
}

function openShard(open: readonly Shard[], id: string): Shard {
  const shard = open.find(candidate => candidate.id === id);
  if (shard) return shard;
  throw new AppError(
    "NOT_FOUND",
    `There is no open shard ${id}. Another user may have changed the shards; list them again.`,
  );
}
