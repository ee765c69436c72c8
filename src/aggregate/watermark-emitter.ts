import type { ShardMap } from "../domain/orders/hash-range";
import type { OrderLog } from "../domain/orders/order-log";
import { encodeWatermark, type WatermarkRecord } from "../store/codec/order-record";
import type { ProducerRegistry, ProducerView, RegistryView } from "../store/producer-registry";

export type WatermarkEmitterOptions = {
  log: OrderLog;
  registry: ProducerRegistry;
  /** A producer that has not published for so long is fenced, microseconds. */
  silenceUs: number;
  /** How far producers that publish nothing may lag behind the clock, microseconds. The article's window. */
  windowUs: number;
  /** Watermarks of a shard lie at least so far apart, however many aggregators send them, microseconds. */
  minIntervalUs: number;
  onFenced?: (producer: number, silentMs: number) => void;
};

/**
 * Reads what producers claim and writes it into every shard as a watermark. The order of things is what
 * makes a watermark true: claims are read first, and the watermark stands in the shard behind everything they
 * speak of. A silent producer is fenced in every shard before the next view leaves it out.
 */
export class WatermarkEmitter {
  private map: ShardMap | null = null;
  /** The last look at the registry. */
  view: RegistryView | null = null;

  constructor(private readonly options: WatermarkEmitterOptions) {}

  /** Whether a producer has joined. */
  async look(): Promise<boolean> {
    this.view = await this.options.registry.view(this.options.windowUs);
    return this.view.producers.length > 0;
  }

  async emitOnce(): Promise<void> {
    const { log, registry, silenceUs, windowUs, minIntervalUs } = this.options;
    const view = await registry.view(windowUs);
    this.view = view;
    // A producer publishes a new map before it writes to its shards: the map is at least as new.
    if (!this.map || this.map.version < view.mapVersion) this.map = await log.readMap();
    const { map } = this;
    // A log that lists its shards late: a watermark that names the old map would be believed too early.
    if (map.version < view.mapVersion)
      throw new Error(`the log lists shard map ${map.version}, and producers use ${view.mapVersion}`);
    const silent = view.producers.filter(({ seenUs }) => view.nowUs - seenUs > silenceUs);
    for (const producer of silent) await this.fence(producer, view.nowUs);
    const watermark = encodeWatermark(watermarkRecordOf(view, { mapVersion: map.version, windowUs }));
    const meta = { readAtUs: view.nowUs, minIntervalUs };
    const writes = await Promise.allSettled(
      map.open.map(({ id }) => log.appendWatermark(id, watermark, meta)),
    );
    const failed = writes.find(write => write.status === "rejected");
    if (!failed) return;
    // Perhaps a shard was closed: the next watermark looks.
    this.map = null;
    throw failed.reason;
  }

  /** Makes the next watermark look for a reshard. */
  forgetMap(): void {
    this.map = null;
  }

  /** Shards need not remember who has left long ago. */
  async forgetProducers(): Promise<void> {
    const { log, registry, windowUs } = this.options;
    const view = await registry.view(windowUs);
    const known = { alive: view.producers.map(({ producer }) => producer), last: view.lastProducer };
    const { open } = await log.readMap();
    await Promise.all(open.map(({ id }) => log.forgetProducers(id, known)));
  }

  private async fence({ producer, seenUs }: ProducerView, nowUs: number): Promise<void> {
    const { log, registry, onFenced } = this.options;
    // Closed shards refuse it anyway.
    await Promise.all(this.map!.open.map(({ id }) => log.fence(id, producer)));
    if (await registry.evict(producer, seenUs)) onFenced?.(producer, (nowUs - seenUs) / 1_000);
  }
}

/** A watermark stays small: past so many slow symbols all the others count as slow as the next one. */
const MAX_EXCEPTIONS = 20;

/** What all producers together claim. Pure. */
export function watermarkRecordOf(
  view: RegistryView,
  { mapVersion, windowUs }: { mapVersion: number; windowUs: number },
): WatermarkRecord {
  const { producers, nowUs, floorUs, hasUnregistered } = view;
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
  if (hasUnregistered) throughUs = Math.min(throughUs, nowUs - windowUs);
  const slowest = [...symbols]
    .map((symbol): [string, number] => {
      const through = producers.map(producer => producer.except[symbol]?.throughUs ?? producer.throughUs);
      return [symbol, Math.min(throughUs, ...through)];
    })
    .sort(([, a], [, b]) => a - b);
  const listed = slowest.slice(0, MAX_EXCEPTIONS);
  throughUs = Math.min(throughUs, slowest[MAX_EXCEPTIONS]?.[1] ?? throughUs);
  return { throughUs, except: Object.fromEntries(listed), readAtUs: nowUs, mapVersion, slowestProducer };
}
