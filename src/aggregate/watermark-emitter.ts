import type { ShardMap } from "../domain/orders/hash-range";
import type { OrderLog } from "../domain/orders/order-log";
import { encodeWatermark, type WatermarkRecord } from "../store/codec/order-record";
import type { ProducerRegistry, RegistryView } from "../store/producer-registry";
import { SilenceWatch, type SilentProducer } from "./silence-watch";

export type WatermarkEmitterOptions = {
  log: OrderLog;
  registry: ProducerRegistry;
  /** A producer that has not published for so long is fenced, microseconds. */
  silenceUs: number;
  /** Between two views at most so much counts as silence, microseconds: a quarter of `silenceUs`. */
  maxGapUs?: number;
  /** How far producers that publish nothing may lag behind the clock, microseconds. The article's window. */
  windowUs: number;
  /** Least time between two watermarks of a shard, with any number of aggregators, microseconds. */
  minIntervalUs: number;
  onFenced?: (producer: number, silentMs: number) => void;
  /** The highest stamp of an order that was read, of a producer that had joined; 0: none. */
  highestReadUs?: () => number;
  /** What the registry's clock said between two times of `clockUs`. */
  onClock?: (nowUs: number, between: { sentUs: number; receivedUs: number }) => void;
  /** A clock without steps, microseconds since any time. */
  clockUs?: () => number;
};

/**
 * Reads the producers' watermarks from the registry and writes their minimum into every shard. It reads
 * first: a watermark stands in a shard behind all records that it covers. A silent producer is fenced in
 * every shard before the next view leaves it out.
 */
export class WatermarkEmitter {
  private map: ShardMap | null = null;
  /** The registry as it was last read. */
  view: RegistryView | null = null;

  private readonly silence: SilenceWatch;
  private readonly clockUs: () => number;

  constructor(private readonly options: WatermarkEmitterOptions) {
    this.silence = new SilenceWatch(options.silenceUs, options.maxGapUs ?? options.silenceUs / 4);
    this.clockUs = options.clockUs ?? (() => performance.now() * 1_000);
  }

  async emitOnce(): Promise<void> {
    const { log, windowUs, minIntervalUs } = this.options;
    const view = await this.readView();
    this.view = view;
    await this.raiseFloor(view);
    // A producer publishes a new map before it writes to its shards: the map is at least as new.
    if (!this.map || this.map.version < view.mapVersion) this.map = await log.readMap();
    const { map } = this;
    // Kinesis may list new shards with a delay: a watermark of the old map would be complete too early.
    if (map.version < view.mapVersion)
      throw new Error(`the log lists shard map ${map.version}, and producers use ${view.mapVersion}`);
    for (const producer of this.silence.observe(view.producers, this.clockUs())) await this.fence(producer);
    const watermark = encodeWatermark(watermarkRecordOf(view, { mapVersion: map.version, windowUs }));
    const meta = { readAtUs: view.readAtUs, minIntervalUs };
    const writes = await Promise.allSettled(
      map.open.map(({ id }) => log.appendWatermark(id, watermark, meta)),
    );
    const failed = writes.find(write => write.status === "rejected");
    if (!failed) return;
    // Perhaps a shard was closed: the next watermark reads the map.
    this.map = null;
    throw failed.reason;
  }

  /** The next watermark reads the shard map again. */
  forgetMap(): void {
    this.map = null;
  }

  /** Removes producers from the shards that left long ago. */
  async forgetProducers(): Promise<void> {
    const { log, registry, windowUs } = this.options;
    const view = await registry.view(windowUs);
    const known = { alive: view.producers.map(({ producer }) => producer), last: view.lastProducer };
    const { open } = await log.readMap();
    await Promise.all(open.map(({ id }) => log.forgetProducers(id, known)));
  }

  /**
   * A producer that died may have stamped above its last claim, and the clock may have stepped back since: its
   * orders are complete when the producers that live have passed them, not when the clock has.
   */
  private async raiseFloor({ nowUs, floorUs }: RegistryView): Promise<void> {
    const lastUs = this.options.highestReadUs?.() ?? 0;
    if (lastUs > nowUs && lastUs > floorUs) await this.options.registry.raise({ producer: 0, lastUs });
  }

  private async readView(): Promise<RegistryView> {
    const { registry, windowUs, onClock } = this.options;
    const sentUs = this.clockUs();
    const view = await registry.view(windowUs);
    onClock?.(view.nowUs, { sentUs, receivedUs: this.clockUs() });
    return view;
  }

  private async fence({ producer, seenUs, silentUs }: SilentProducer): Promise<void> {
    const { log, registry, onFenced } = this.options;
    // Closed shards refuse it anyway.
    await Promise.all(this.map!.open.map(({ id }) => log.fence(id, producer)));
    if (await registry.evict(producer, seenUs)) onFenced?.(producer, silentUs / 1_000);
  }
}

/** Bounds the size of a watermark: beyond so many slow symbols, all others count as slow as the next one. */
const MAX_EXCEPTIONS = 20;
/** Stamps that are further ahead of the clock are from before it stepped back. */
const MAX_STAMP_AHEAD_US = 1_000_000;

/** The watermark of all producers together. Pure. */
export function watermarkRecordOf(
  view: RegistryView,
  { mapVersion, windowUs }: { mapVersion: number; windowUs: number },
): WatermarkRecord {
  const { producers, nowUs, floorUs, hasUnregistered, readAtUs } = view;
  let throughUs = producers.length === 0 ? floorUs : Number.POSITIVE_INFINITY;
  let slowestProducer: string | null = null;
  let lowest = Number.POSITIVE_INFINITY;
  const symbols = new Set<string>();
  for (const producer of producers) {
    throughUs = Math.min(throughUs, producer.throughUs);
    if (producer.throughUs < lowest)
      [lowest, slowestProducer] = [producer.throughUs, `producer ${producer.producer}`];
    for (const [symbol, except] of Object.entries(producer.except)) {
      symbols.add(symbol);
      if (except.throughUs < lowest)
        [lowest, slowestProducer] = [
          except.throughUs,
          `producer ${producer.producer} on shard ${except.shardId}`,
        ];
    }
  }
  // The window is measured by the clock: after a step back all symbols would wait until the clock is there again.
  if (hasUnregistered && floorUs - nowUs <= MAX_STAMP_AHEAD_US)
    throughUs = Math.min(throughUs, nowUs - windowUs);
  const slowest = [...symbols]
    .map((symbol): [string, number] => {
      const through = producers.map(producer => producer.except[symbol]?.throughUs ?? producer.throughUs);
      return [symbol, Math.min(throughUs, ...through)];
    })
    .sort(([, a], [, b]) => a - b);
  const listed = slowest.slice(0, MAX_EXCEPTIONS);
  throughUs = Math.min(throughUs, slowest[MAX_EXCEPTIONS]?.[1] ?? throughUs);
  return { throughUs, except: Object.fromEntries(listed), readAtUs, mapVersion, slowestProducer };
}
