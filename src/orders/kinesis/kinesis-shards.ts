import type { Shard as RawShard } from "@aws-sdk/client-kinesis";
import { HASH_SPACE, type Shard, type ShardMap } from "../../domain/orders/hash-range";

/** A shard as the stream lists it; `id` is its number without the zeros, such as "7". */
export type KinesisShard = Shard & { number: number; isOpen: boolean };

const NAME = /^shardId-(\d{12})$/;

/** "shardId-000000000007" is shard "7". @throws Error on a name of another form */
export function shardIdOf(name: string): string {
  const digits = NAME.exec(name)?.[1];
  if (digits === undefined) throw new Error(`unknown form of a shard's name: ${name}`);
  return String(Number(digits));
}

export function shardNameOf(id: string): string {
  return `shardId-${id.padStart(12, "0")}`;
}

/** A shard is open while its range of sequence numbers has no end. */
export function readShard(raw: RawShard): KinesisShard {
  const id = shardIdOf(raw.ShardId ?? "");
  return {
    id,
    number: Number(id),
    startHash: BigInt(raw.HashKeyRange?.StartingHashKey ?? 0),
    endHash: BigInt(raw.HashKeyRange?.EndingHashKey ?? 0),
    isOpen: raw.SequenceNumberRange?.EndingSequenceNumber === undefined,
  };
}

/** Fraction bits of a version: a reshard of more than 2^-32 of the hash space changes it. */
const FRACTION_BITS = 32n;

/**
 * The map of a stream; null while its open shards do not cover each hash key exactly once, as in the
 * middle of a reshard.
 *
 * The version is the mean over the hash space of the open shards' numbers, in units of 2^-32. A child's
 * number is above its parents', so the number at every hash key only rises, and so does the mean, in any
 * order of the parts of a reshard. Every process with the same shards computes the same version.
 */
export function shardMapOf(shards: readonly KinesisShard[]): ShardMap | null {
  const open = shards.filter(({ isOpen }) => isOpen).sort((a, b) => (a.startHash < b.startHash ? -1 : 1));
  let next = 0n;
  let sum = 0n;
  for (const { startHash, endHash, number } of open) {
    if (startHash !== next) return null;
    next = endHash + 1n;
    sum += BigInt(number + 1) * (next - startHash);
  }
  if (next !== HASH_SPACE) return null;
  const version = Number((sum << FRACTION_BITS) / HASH_SPACE);
  return { version, open: open.map(({ id, startHash, endHash }) => ({ id, startHash, endHash })) };
}
