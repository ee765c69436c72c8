import { SHARD_FULL, SHARD_GONE } from "../domain/filter/shard-refusals";
import type { EngineName, FilterVersion } from "./layout";

/**
 * What one look-up proved. `unsealed`: the shard is missing, half loaded, of a wrong type or of
 * another version, so its answer means nothing (a missing RedisBloom key answers 0 to everything).
 */
export type Lookup = "absent" | "maybe" | "unsealed";

/** `added`, or why this one item is not in the shard. Always one per item, by index. */
export type AddOutcome = "added" | { error: string };

/**
 * sealed   loaded, right parameters, sentinel there: its 0 counts
 * full     sealed, but it takes no more names: 0 counts only for names it was asked to take before
 * open     right parameters, no sentinel: being filled
 * mismatched  something else lies under the key: wrong type, parameters or number of sub-filters
 */
export type ShardState = "sealed" | "full" | "open" | "missing" | "mismatched";

/** `unsupported`: this server takes no ready-made shard, and why; nothing is left under the key. */
export type LoadOutcome = "loaded" | { unsupported: string };

/** Bytes of a shard that go to the server in one command, which keeps others waiting for well under a millisecond. */
export const LOAD_CHUNK_BYTES = 256 * 1024;

/** The two ways a version lies in Redis. Every method rejects with the client's error when Redis does not answer. */
export interface FilterEngine {
  readonly name: EngineName;
  /** Is the name in its shard? One round trip, which also proves the shard. */
  lookup(version: FilterVersion, shard: number, key: string): Promise<Lookup>;
  /** Like lookup for many names of one shard, by index; every reply proves the shard anew. */
  lookupMany(version: FilterVersion, shard: number, keys: string[]): Promise<Lookup[]>;
  /** Adds to an existing shard; never creates one. */
  add(version: FilterVersion, shard: number, keys: string[]): Promise<AddOutcome[]>;
  /** Makes the shard open: keeps one of the right shape, replaces anything else. */
  reserve(version: FilterVersion, shard: number): Promise<void>;
  /**
   * Replaces the shard, whatever lies under its key, by these bits. It is open until it is sealed: half
   * loaded or whole, it never passes for sealed.
   * @param bits the whole shard in RedisBloom's layout; it is only read
   * @param items names that set a bit of their own, for a server that counts them
   */
  load(version: FilterVersion, shard: number, bits: Uint8Array, items: number): Promise<LoadOutcome>;
  /** Puts the sentinel into an existing shard: from here on its 0 counts. */
  seal(version: FilterVersion, shard: number): Promise<void>;
  /** Removes the shard, whatever lies under its key. */
  drop(version: FilterVersion, shard: number): Promise<void>;
  probe(version: FilterVersion, shard: number): Promise<ShardState>;
}

/** A full filter takes no more names, now or later; any other refusal is worth another try. */
export function isFull(error: string): boolean {
  return FULL.test(error);
}

/** The shard is not there: it returns by being made anew from the database, with every name of it (ADR 3). */
export function isGone(error: string): boolean {
  return GONE.test(error);
}

const FULL = new RegExp(SHARD_FULL);
const GONE = new RegExp(SHARD_GONE);

/** One outcome for a whole call: every item failed for the same reason. */
export function allFailed(keys: string[], error: string): AddOutcome[] {
  return keys.map(() => ({ error }));
}

/** Errors with which a living Redis refuses one command, in contrast to not answering at all. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === "ReplyError" && !TRANSIENT.test(error.message);
}

/** Replies that pass by themselves: loading, failover, cluster reconfiguration, memory pressure. */
const TRANSIENT =
  /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|MOVED|ASK|BUSY|OOM|NOREPLICAS|UNBLOCKED)/;
