import { SHARD_FULL, SHARD_MISSING } from "../domain/filter/shard-refusals";
import type { EngineName, FilterVersion } from "./layout";

/**
 * Result of one lookup. `unsealed`: the shard is missing, partly loaded, of a wrong type or of
 * another version, so its reply proves nothing (a missing RedisBloom key replies 0 to every lookup).
 */
export type Lookup = "absent" | "maybe" | "unsealed";

/** `added`, or why this item is not in the shard. Always one per item, by index. */
export type AddOutcome = "added" | { error: string };

/**
 * sealed      loaded, right parameters, sentinel present: its 0 proves that a name is absent
 * full        sealed, but it accepts no more names: its 0 proves nothing about later names
 * open        right parameters, no sentinel: it is being filled
 * mismatched  the key has another type, other parameters or another number of sub-filters
 */
export type ShardState = "sealed" | "full" | "open" | "missing" | "mismatched";

/** `unsupported`: why this server does not accept a prebuilt shard. The key does not exist then. */
export type LoadOutcome = "loaded" | { unsupported: string };

/** Bytes of a shard in one command, which blocks the server for well under a millisecond. */
export const LOAD_CHUNK_BYTES = 256 * 1024;

/** How Redis stores a version. Every method rejects with the client's error when Redis does not answer. */
export interface FilterEngine {
  readonly name: EngineName;
  /** Is the name in its shard? One round trip, which also checks the sentinel. */
  lookup(version: FilterVersion, shard: number, key: string): Promise<Lookup>;
  /** Like lookup for many names of one shard, by index; every reply checks the sentinel again. */
  lookupMany(version: FilterVersion, shard: number, keys: string[]): Promise<Lookup[]>;
  /** Adds to an existing shard; never creates one. */
  add(version: FilterVersion, shard: number, keys: string[]): Promise<AddOutcome[]>;
  /** Makes the shard open: keeps a shard with the right parameters, replaces any other value. */
  reserve(version: FilterVersion, shard: number): Promise<void>;
  /**
   * Replaces any value of the shard's key by these bits. The shard is open, partly or completely loaded,
   * until it is sealed.
   * @param bits the whole shard in RedisBloom's layout; it is only read
   * @param items names that set a bit of their own, for a server that counts them
   */
  load(version: FilterVersion, shard: number, bits: Uint8Array, items: number): Promise<LoadOutcome>;
  /** Adds the sentinel to an existing shard: from now on its 0 proves that a name is absent. */
  seal(version: FilterVersion, shard: number): Promise<void>;
  /** Removes the shard's key, even when its value is no shard. */
  drop(version: FilterVersion, shard: number): Promise<void>;
  probe(version: FilterVersion, shard: number): Promise<ShardState>;
}

/** A full shard never accepts more names; after any other refusal a retry may succeed. */
export function isFull(error: string): boolean {
  return FULL.test(error);
}

/** The shard is missing: the filter worker rebuilds it from the database, with all its names (ADR 3). */
export function isMissing(error: string): boolean {
  return MISSING.test(error);
}

const FULL = new RegExp(SHARD_FULL);
const MISSING = new RegExp(SHARD_MISSING);

/** One outcome for a whole call: every item failed for the same reason. */
export function allFailed(keys: string[], error: string): AddOutcome[] {
  return keys.map(() => ({ error }));
}

/** Whether a running Redis refused one command, in contrast to a Redis that does not answer. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === "ReplyError" && !TRANSIENT.test(error.message);
}

/** Temporary replies: loading, failover, cluster reconfiguration, memory pressure. */
const TRANSIENT =
  /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|MOVED|ASK|BUSY|OOM|NOREPLICAS|UNBLOCKED)/;
