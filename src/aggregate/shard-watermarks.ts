import type { WatermarkRecord } from "../store/codec/order-record";

/** As in store/lua/watermark-due.lua. */
const MAX_DELAY_US = 5_000_000;

/**
 * Up to which time a symbol's orders are complete, from the last watermark of every shard. A watermark
 * covers its own shard only, so the lowest of all shards counts.
 */
export class ShardWatermarks {
  private readonly watermarks = new Map<string, WatermarkRecord | null>();
  private lowest: WatermarkRecord | null = null;
  private lowestExcept = new Map<string, number>();
  private isStale = true;
  /** The highest shard map version that a watermark named. */
  mapVersionSeen = 0;

  /** @param mapVersion of the shards given to `setShards` */
  private mapVersion = 0;

  /** The shards that have records or may get some; others do not count any more. */
  setShards(shardIds: Iterable<string>, mapVersion: number): void {
    const wanted = new Set(shardIds);
    for (const id of this.watermarks.keys()) if (!wanted.has(id)) this.watermarks.delete(id);
    for (const id of wanted) if (!this.watermarks.has(id)) this.watermarks.set(id, null);
    this.mapVersion = mapVersion;
    this.isStale = true;
  }

  /**
   * A watermark that was read from a shard; one that is a little older than the last is ignored. One that is much
   * older comes behind the watermarks of a clock or a registry that has gone back: its claim holds as well.
   */
  observe(shardId: string, watermark: WatermarkRecord): void {
    this.mapVersionSeen = Math.max(this.mapVersionSeen, watermark.mapVersion);
    const known = this.watermarks.get(shardId);
    if (known === undefined) return;
    const olderUs = known ? known.readAtUs - watermark.readAtUs : -1;
    if (olderUs >= 0 && olderUs <= MAX_DELAY_US) return;
    this.watermarks.set(shardId, watermark);
    this.isStale = true;
  }

  /** The shard is empty and takes nothing more. */
  close(shardId: string): void {
    this.watermarks.delete(shardId);
    this.isStale = true;
  }

  /** Orders of the symbol with a stamp up to this time have all been read. -Infinity: nothing is known. */
  through(symbol: string): number {
    this.update();
    if (!this.lowest || this.mapVersionSeen > this.mapVersion) return Number.NEGATIVE_INFINITY;
    return Math.min(this.lowest.throughUs, this.lowestExcept.get(symbol) ?? Number.POSITIVE_INFINITY);
  }

  /** Shards with a higher watermark than the slowest one: reading them further releases no order. */
  ahead(): Set<string> {
    const times = [...this.watermarks].map(([id, watermark]) => [id, watermark?.readAtUs ?? 0] as const);
    const lowest = Math.min(...times.map(([, time]) => time));
    return new Set(times.filter(([, time]) => time > lowest).map(([id]) => id));
  }

  /** The producer with the lowest watermark, such as "producer 7 on shard 3", and that watermark. */
  slowestProducer(): { name: string; throughUs: number } | null {
    this.update();
    if (!this.lowest) return null;
    const lowest = Math.min(this.lowest.throughUs, ...this.lowestExcept.values());
    return { name: this.lowest.slowestProducer ?? "an unknown producer", throughUs: lowest };
  }

  private update(): void {
    if (!this.isStale) return;
    this.isStale = false;
    this.lowest = null;
    this.lowestExcept = new Map();
    for (const watermark of this.watermarks.values()) {
      if (!watermark) {
        this.lowest = null;
        return;
      }
      if (!this.lowest || watermark.throughUs < this.lowest.throughUs) this.lowest = watermark;
      for (const [symbol, throughUs] of Object.entries(watermark.except)) {
        const known = this.lowestExcept.get(symbol);
        if (known === undefined || throughUs < known) this.lowestExcept.set(symbol, throughUs);
      }
    }
  }
}
