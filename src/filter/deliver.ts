import { REMOVAL_STATES, type VersionState } from "../domain/filter/filter-version";
import type { Engines } from "./detect-engine";
import { type AddOutcome, allFailed, isFull, isMissing } from "./engine";
import { type FilterVersion, shardOf } from "./layout";

/** `fullShards`: the full shards that readers know. Without a state, every name must reach the version. */
type FedVersion = FilterVersion & { state?: VersionState; fullShards?: readonly number[] };

/**
 * Adds usernames to every given version.
 * @returns one outcome per key, by index: `added` when the key is in all of them. Never rejects: when
 * Redis does not answer, its error is the outcome. Refusals by a version that is being removed do not
 * count, nor those of a missing shard, or a full one that readers know, of a previous version.
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
          if (reply === "added" || isIgnorable(version, shard, reply.error)) return;
          outcomes[index] = reply;
        });
      }),
    ),
  );
  return outcomes;
}

function isIgnorable({ state, fullShards = [] }: FedVersion, shard: number, error: string): boolean {
  if (state !== undefined && REMOVAL_STATES.includes(state)) return true;
  // Readers that do not know the full shard would trust its "absent" after a rollback.
  const isKnownFull = isFull(error) && fullShards.includes(shard);
  return state === "previous" && (isKnownFull || isMissing(error));
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
