import { SYMBOL_PATTERN } from "../domain/orders/order";
import { END, type ReadRecord, START } from "../domain/orders/order-log";
import { partitionOf } from "../domain/orders/order-partition";
import { UNREGISTERED_PRODUCERS } from "../domain/orders/order-stamp";
import { decodeRecord, type LogRecord, type OrderRun } from "../store/codec/order-record";
import { cutSpans, encodeFrame } from "../store/codec/ordered-frame";
import type { AggregatorDeps } from "./aggregator-deps";
import { classifyStale } from "./classify-stale";
import type { DeadLetter, DeadLetterReason } from "./dead-letter-stream";
import { lowestCheckpoint } from "./lowest-checkpoint";
import type { Merged, PlacedRun } from "./merge-runs";
import type { Checkpoint } from "./ordered-output";
import { ShardWatermarks } from "./shard-watermarks";
import { type StaleOrder, SymbolBuffer } from "./symbol-buffer";

const ORDERS_PER_FRAME = 2_000;
/** No clock is so far ahead. */
const MAX_AHEAD_US = 5_000_000;

/**
 * Puts the orders of its partitions in order. One `step` reads new records, releases what is
 * complete, and writes it. After any error discard it and make a new one, which reads from the last
 * checkpoint. Each symbol's head marks what was written before, so a crash at any moment
 * neither repeats nor loses an order.
 */
export class Aggregator {
  private readonly watermarks = new ShardWatermarks();
  private readonly buffers = new Map<string, SymbolBuffer>();
  private readonly passed = new Map<string, number>();
  private readonly positions = new Map<string, string>();
  private readonly readNumbers = new Map<string, number>();
  /** The highest stamp of an order that was read, of a producer that had joined; 0: none. */
  highestReadUs = 0;
  private mapVersion = 0;
  private readMs = 0;
  private needsMap = false;
  /** The running step: the records it has read are in no buffer yet. */
  private stepping: Promise<boolean> | null = null;

  private constructor(private readonly deps: AggregatorDeps) {}

  static async start(deps: AggregatorDeps): Promise<Aggregator> {
    const aggregator = new Aggregator(deps);
    await aggregator.loadShards(await lowestCheckpoint(deps));
    return aggregator;
  }

  /** Orders in the reorder buffers. */
  get bufferedEvents(): number {
    let bufferedEvents = 0;
    for (const buffer of this.buffers.values()) bufferedEvents += buffer.bufferedEvents;
    return bufferedEvents;
  }

  get slowestProducer() {
    return this.watermarks.slowestProducer();
  }

  /** Symbols whose engine is too far behind. */
  pausedSymbols(): string[] {
    const { maxBehind } = this.deps.settings;
    return [...this.buffers.values()]
      .filter(({ symbol, position }) => position - (this.passed.get(symbol) ?? 0) > maxBehind)
      .map(({ symbol }) => symbol);
  }

  /** Finds engines that caught up while their symbol was paused: then no write returns their position. */
  async refreshPaused(): Promise<void> {
    for (const symbol of this.pausedSymbols()) {
      const epoch = this.deps.leases.get(partitionOf(symbol));
      if (epoch === undefined) continue;
      const { passed } = await this.deps.output.claim(symbol, epoch);
      this.passed.set(symbol, passed);
    }
  }

  /** Resolves to whether anything was read or written. After a failure discard this aggregator. */
  step(): Promise<boolean> {
    const step = this.stepOnce();
    this.stepping = step;
    // A failed step is kept, so that the next checkpoint rejects as well.
    const done = () => {
      if (this.stepping === step) this.stepping = null;
    };
    step.then(done, () => {});
    return step;
  }

  private async stepOnce(): Promise<boolean> {
    const { log, settings } = this.deps;
    if (this.needsMap || this.watermarks.mapVersionSeen > this.mapVersion) await this.loadShards(new Map());
    const batches = await log.read(this.shardsToRead(), settings.readLimit);
    this.readMs = this.deps.nowUs() / 1_000;
    const runs: PlacedRun[] = [];
    const deadLetters: DeadLetter[] = [];
    let read = 0;
    for (const { shardId, records } of batches) {
      read += records.length;
      for (const record of records) this.take(shardId, record, { runs, deadLetters });
    }
    await this.claimNew(runs);
    const stale: StaleOrder[] = [];
    for (const placed of runs)
      stale.push(...this.buffers.get(placed.run.symbol)!.add(placed, log.isAfter.bind(log)));
    await this.writeDeadLetters(deadLetters, stale);
    const written = await this.writeComplete();
    return read > 0 || written > 0;
  }

  /** The positions to resume from: before the oldest record that has buffered orders. */
  checkpoint(): Checkpoint {
    const lowest = new Map<string, PlacedRun>();
    for (const buffer of this.buffers.values())
      buffer.forEachRun(placed => {
        const known = lowest.get(placed.shardId);
        if (!known || placed.readNumber < known.readNumber) lowest.set(placed.shardId, placed);
      });
    return new Map(
      [...this.positions].map(([shardId, position]) => [shardId, lowest.get(shardId)?.before ?? position]),
    );
  }

  /** Waits for the running step: during a step, records are read and not yet buffered. */
  async writeCheckpoint(): Promise<Checkpoint> {
    while (this.stepping) await this.stepping;
    const checkpoint = this.checkpoint();
    for (const [shardId, position] of checkpoint) if (position === START) checkpoint.delete(shardId);
    await Promise.all(
      [...this.deps.leases].map(([partition, epoch]) =>
        this.deps.output.writeCheckpoint(partition, epoch, checkpoint),
      ),
    );
    return checkpoint;
  }

  private async loadShards(checkpoint: Checkpoint): Promise<void> {
    const { log } = this.deps;
    // The version first: shards that are added meanwhile do no harm, a version that is too new would.
    const { version } = await log.readMap();
    for (const shardId of await log.readableShards())
      if (!this.positions.has(shardId)) this.positions.set(shardId, checkpoint.get(shardId) ?? START);
    this.mapVersion = version;
    this.needsMap = false;
    const live = [...this.positions].filter(([, position]) => position !== END).map(([id]) => id);
    this.watermarks.setShards(live, version);
  }

  /** The shards that the next step reads, and from where. */
  shardsToRead(): Map<string, string> {
    const isFull = this.bufferedEvents > this.deps.settings.maxBufferedEvents;
    const ahead = isFull ? this.watermarks.ahead() : null;
    return new Map([...this.positions].filter(([id, position]) => position !== END && !ahead?.has(id)));
  }

  private take(
    shardId: string,
    record: ReadRecord,
    { runs, deadLetters }: { runs: PlacedRun[]; deadLetters: DeadLetter[] },
  ): void {
    const before = this.positions.get(shardId)!;
    const { position, data, missing } = record;
    this.positions.set(shardId, position);
    const readNumber = (this.readNumbers.get(shardId) ?? 0) + 1;
    this.readNumbers.set(shardId, readNumber);
    const id = `${shardId} ${position}`;
    // The first record after trimming reports the records that were lost.
    if (missing > 0)
      deadLetters.push({ id: `${id} gap`, reason: "gap", event: { shardId, position, missing } });
    let decoded: LogRecord;
    try {
      decoded = decodeRecord(data);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const event = { shardId, position, problem, start: data.toString("hex", 0, 64) };
      deadLetters.push({ id, reason: "malformed", event });
      return;
    }
    if (decoded.kind === "watermark") {
      this.watermarks.observe(shardId, decoded.watermark);
      return;
    }
    if (decoded.kind === "closed") {
      this.positions.set(shardId, END);
      this.watermarks.close(shardId);
      this.needsMap = true;
      this.deps.onReshard?.();
      return;
    }
    const { run } = decoded;
    const problem = this.problemOf(run);
    if (problem) {
      const { symbol, producer, count } = run;
      deadLetters.push({
        id,
        reason: problem,
        event: { shardId, position, symbol, producer, count },
        record: problem === "malformed" ? undefined : data,
      });
      return;
    }
    if (run.producer >= UNREGISTERED_PRODUCERS) this.deps.on?.unregistered?.();
    else this.highestReadUs = Math.max(this.highestReadUs, run.timesUs[run.count - 1]!);
    if (this.deps.leases.has(partitionOf(run.symbol)))
      runs.push({ run, shardId, position, before, readNumber, readMs: this.readMs });
  }

  private problemOf(run: OrderRun): DeadLetterReason | null {
    if (!SYMBOL_PATTERN.test(run.symbol)) return "malformed";
    // Registered producers have checked the symbol, and may know a new one first.
    if (run.producer < UNREGISTERED_PRODUCERS) return null;
    if (this.deps.knowsSymbol?.(run.symbol) === false) return "unknown_symbol";
    const latestUs = this.deps.nowUs() + MAX_AHEAD_US;
    return run.timesUs.some(timeUs => timeUs > latestUs) ? "time_ahead" : null;
  }

  private async claimNew(runs: readonly PlacedRun[]): Promise<void> {
    const fresh = new Set(runs.map(({ run }) => run.symbol).filter(symbol => !this.buffers.has(symbol)));
    await Promise.all(
      [...fresh].map(async symbol => {
        const epoch = this.deps.leases.get(partitionOf(symbol))!;
        const { passed, ...head } = await this.deps.output.claim(symbol, epoch);
        this.buffers.set(symbol, new SymbolBuffer(symbol, head));
        this.passed.set(symbol, passed);
      }),
    );
  }

  /** Before any release: the frontier that is stored with it marks these records as handled. */
  private async writeDeadLetters(deadLetters: DeadLetter[], stale: readonly StaleOrder[]): Promise<void> {
    const { duplicates, events } = await classifyStale(
      this.deps.output,
      stale,
      symbol => this.buffers.get(symbol)!.last.timeUs,
    );
    deadLetters.push(...events);
    if (duplicates > 0) this.deps.on?.duplicates?.(duplicates);
    if (deadLetters.length === 0) return;
    const added = await this.deps.deadLetters.add(deadLetters);
    if (added === 0) return;
    for (const { reason } of deadLetters) this.deps.on?.deadLetters?.(reason, 1);
  }

  private async writeComplete(): Promise<number> {
    const writes: Promise<void>[] = [];
    let written = 0;
    for (const buffer of this.buffers.values()) {
      if (buffer.bufferedEvents === 0) continue;
      const before = buffer.position;
      const merged = buffer.release(this.watermarks.through(buffer.symbol));
      if (merged.duplicates > 0) this.deps.on?.duplicates?.(merged.duplicates);
      if (merged.count === 0) continue;
      written += merged.count;
      writes.push(this.write(buffer, merged, before));
    }
    await Promise.all(writes);
    return written;
  }

  private async write(buffer: SymbolBuffer, merged: Merged, before: number): Promise<void> {
    const { symbol, last, frontier } = buffer;
    const { count, spans } = merged;
    buffer.position = before + count;
    const frames: { lastPosition: number; bytes: Buffer }[] = [];
    let position = before;
    for (const some of cutSpans(spans, ORDERS_PER_FRAME)) {
      const bytes = encodeFrame(position + 1, some);
      for (const { from, to } of some) position += to - from;
      frames.push({ lastPosition: position, bytes });
    }
    const epoch = this.deps.leases.get(partitionOf(symbol))!;
    const [oldest] = spans;
    const oldestUs = oldest!.run.timesUs[oldest!.from]!;
    const head = { position: buffer.position, last, frontier };
    this.passed.set(symbol, await this.deps.output.write({ symbol, epoch, before, head, frames }));
    this.deps.on?.released?.(symbol, count, oldestUs);
    this.tellTime(merged.oldest!, oldestUs / 1_000);
  }

  private tellTime({ position, readMs }: PlacedRun, stampMs: number): void {
    const { on, log, nowUs } = this.deps;
    if (!on?.timed) return;
    const writtenMs = log.writtenMs?.(position);
    const inLog = writtenMs !== undefined && {
      ingestMs: Math.max(0, writtenMs - stampMs),
      shardMs: Math.max(0, readMs - writtenMs),
    };
    on.timed({ ...inLog, bufferMs: Math.max(0, nowUs() / 1_000 - readMs) });
  }
}
