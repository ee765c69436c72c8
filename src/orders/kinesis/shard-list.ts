import { setTimeout as sleep } from "node:timers/promises";
import type { ShardMap } from "../../domain/orders/hash-range";
import type { KinesisCalls } from "./kinesis-calls";
import { type KinesisShard, readShard, shardIdOf, shardMapOf } from "./kinesis-shards";

const TRIES = 10;
const BETWEEN_TRIES_MS = 200;

/**
 * The stream's shards as listed. A list may be older than the answers to puts: a shard that took a record
 * is waited for, and a shard whose record was taken by another one is known to be closed.
 */
export class ShardList {
  private last: KinesisShard[] = [];
  private listing: Promise<KinesisShard[]> | null = null;
  private readonly awaited = new Set<string>();
  private readonly closed = new Set<string>();

  constructor(private readonly calls: KinesisCalls) {}

  /** The open shards. Rejects when no complete list came within some 2 seconds. */
  async readMap(): Promise<ShardMap> {
    for (let attempt = 1; ; attempt += 1) {
      const shards = await this.list();
      const map = shardMapOf(shards);
      if (map && this.awaited.size === 0) return map;
      if (attempt === TRIES)
        throw new Error(`the stream “${this.calls.stream}” lists no complete set of shards`);
      await sleep(BETWEEN_TRIES_MS);
    }
  }

  /** The ids of all shards that may hold records within the retention. */
  async readable(): Promise<string[]> {
    return (await this.list()).map(({ id }) => id);
  }

  /** The lowest hash key of a shard; null if no list had it. */
  startHashOf(shardId: string): bigint | null {
    return this.last.find(({ id }) => id === shardId)?.startHash ?? null;
  }

  /** A record for one shard was taken by the shard of this name. Returns whether that is another shard. */
  noteTaken(shardId: string, takenBy: string): boolean {
    const id = shardIdOf(takenBy);
    if (id === shardId) return false;
    this.closed.add(shardId);
    if (!this.last.some(shard => shard.id === id)) this.awaited.add(id);
    return true;
  }

  /** Whether it is known to take no more records: a closed shard never opens again. */
  isClosed(shardId: string): boolean {
    return this.closed.has(shardId);
  }

  /** Concurrent callers share one list. */
  private list(): Promise<KinesisShard[]> {
    this.listing ??= this.listNow().finally(() => {
      this.listing = null;
    });
    return this.listing;
  }

  private async listNow(): Promise<KinesisShard[]> {
    const shards = (await this.calls.listShards()).map(readShard);
    for (const { id } of shards) this.awaited.delete(id);
    this.last = shards;
    return shards;
  }
}
