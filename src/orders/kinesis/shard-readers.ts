import { END, type ReadRecord, type ShardBatch } from "../../domain/orders/order-log";
import type { ShardReader } from "./shard-reader";

type Open = { reader: ShardReader; position: string };

/** The readers of all shards: each continues at its position, or is replaced when another one is requested. */
export class ShardReaders {
  private readonly open = new Map<string, Open>();

  /** @param make a reader that starts after a position */
  constructor(private readonly make: (shardId: string, after: string) => ShardReader) {}

  read(after: ReadonlyMap<string, string>, limit: number): ShardBatch[] {
    return [...after].map(([shardId, position]) => ({
      shardId,
      records: position === END ? [] : this.readShard(shardId, position, limit),
    }));
  }

  close(): void {
    for (const { reader } of this.open.values()) reader.close();
    this.open.clear();
  }

  private readShard(shardId: string, position: string, limit: number): ReadRecord[] {
    const shard = this.openAt(shardId, position);
    const records = shard.reader.take(limit);
    shard.position = records.at(-1)?.position ?? position;
    if (shard.position === END) {
      shard.reader.close();
      this.open.delete(shardId);
    }
    return records;
  }

  private openAt(shardId: string, position: string): Open {
    const known = this.open.get(shardId);
    if (known?.position === position) return known;
    known?.reader.close();
    const opened = { reader: this.make(shardId, position), position };
    this.open.set(shardId, opened);
    return opened;
  }
}
