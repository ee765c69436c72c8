import { FADING_STATES, type VersionState } from "../domain/filter/filter-version";
import type { Engines } from "./detect-engine";
import { type AddOutcome, allFailed, isFull, isGone } from "./engine";
import { type FilterVersion, shardOf } from "./layout";

/** `fullShards`: of which readers are told. Without a state every name has to reach it. */
type FedVersion = FilterVersion & { state?: VersionState; fullShards?: readonly number[] };

/**
 * Adds usernames to every given version.
 * @returns one outcome per key, by index: `added` only when it is in all of them. Never rejects:
 * a Redis that does not answer is the outcome of the keys it would have taken. A previous version
 * that lacks a shard, or has a full one of which readers are told, holds nobody up. Neither does one that
 * is being removed.
 */
export async function deliverKeys(
  engines: Engines,
  versions: FedVersion[],
  keys: string[],
): Promise<AddOutcome[]> {
  const outcomes: AddOutcome[] = keys.map(() => "added");
  const byShard = groupByShard(keys);
  await Promise.all(
    versions.flatMap(version =>
      [...byShard].map(async ([shard, indexes]) => {
        const shardKeys = indexes.map(index => keys[index]!);
        const replies = await engines[version.engine]
          .add(version, shard, shardKeys)
          .catch((error: Error) => allFailed(shardKeys, error.message));
        indexes.forEach((index, i) => {
          const reply = replies[i] ?? { error: "no reply" };
          if (reply === "added" || isExcused(version, shard, reply.error)) return;
          outcomes[index] = reply;
        });
      }),
    ),
  );
  return outcomes;
}

function isExcused({ state, fullShards = [] }: FedVersion, shard: number, error: string): boolean {
  if (state !== undefined && FADING_STATES.includes(state)) return true;
  // Until readers are told, they would believe its "absent" after a rollback.
  const isKnownFull = isFull(error) && fullShards.includes(shard);
  return state === "previous" && (isKnownFull || isGone(error));
}

/** Shard -> indexes into `keys`. */
export function groupByShard(keys: string[]): Map<number, number[]> {
  const byShard = new Map<number, number[]>();
  keys.forEach((key, index) => {
    const shard = shardOf(key);
    const indexes = byShard.get(shard);
    if (indexes) indexes.push(index);
    else byShard.set(shard, [index]);
  });
  return byShard;
}
