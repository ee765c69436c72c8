import { FADING_STATES, type VersionState } from "../domain/filter-version";
import type { Engines } from "./detect-engine";
import { type AddOutcome, allFailed, isFull, isGone } from "./engine";
import { type FilterVersion, shardOf } from "./layout";

/**
 * Adds usernames to every given version.
 * @returns one outcome per key, by index: `added` only when it is in all of them. Never rejects:
 * a Redis that does not answer is the outcome of the keys it would have taken. A previous version
 * that is full, or lacks a shard, holds nobody up. Neither does one that is being removed.
 */
export async function deliverKeys(
  engines: Engines,
  versions: (FilterVersion & { state?: VersionState })[],
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
          if (reply === "added" || isExcused(version, reply.error)) return;
          outcomes[index] = reply;
        });
      }),
    ),
  );
  return outcomes;
}

function isExcused({ state }: { state?: VersionState }, error: string): boolean {
  if (state !== undefined && FADING_STATES.includes(state)) return true;
  return state === "previous" && (isFull(error) || isGone(error));
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
