import { partitionOf } from "../domain/orders/order-partition";
import { backoffMs } from "../runtime/backoff";
import { readOrder } from "../store/codec/order-payload";
import { decodeFrame } from "../store/codec/ordered-frame";
import { isPassing } from "../store/database-error";
import { headKey, orderedKey } from "../store/order-keys";
import type { Leases } from "../store/partition-leases";
import type { RedisClient } from "../store/redis";
import { findRewritten } from "./find-rewritten";
import { BrokenStream, LeaseLost, type OrderedOrder, type SymbolConsumer } from "./symbol-consumer";

export type StreamRunnerDeps<Consumer extends SymbolConsumer> = {
  redis: RedisClient;
  /** The name of the order log. */
  log: string;
  leases: Leases;
  symbols: () => Iterable<string>;
  /** Opens a symbol's consumer where it was stored last, and refuses owners of earlier epochs from then on. */
  open: (symbol: string, epoch: number) => Promise<Consumer>;
  on?: {
    /** `oldestUs`: the first order's time. */
    applied?(symbol: string, count: number, oldestUs: number): void;
    /** The oldest frame's results are stored; since it was written by the aggregator. */
    stored?(sinceMs: number): void;
    gap?(symbol: string, missing: number): void;
    /** A symbol that can't go on is paused, and the others continue. */
    paused?(symbol: string, error: unknown): void;
  };
};

/** A frame, and when it was written; null in streams of before that was noted. */
type StreamEntry = { bytes: Buffer; writtenMs: number | null };
type Passed = { atMs: number; position: number };

type Group<Consumer> = readonly { symbol: string; consumer: Consumer }[];

/** A paused symbol: why, at which position, and when it is retried. */
type Paused = { problem: string; position: number; failures: number; untilMs: number };

const FRAMES_PER_READ = 50;
/** So much of the ordered streams is kept, to distinguish a late order from a repeat. */
const KEPT_MS = 30_000;
const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/**
 * Reads the ordered streams of its partitions and hands them to their consumers. An error of one symbol pauses
 * that symbol. After any other error discard it and make a new one, which continues from what was stored.
 */
export class StreamRunner<Consumer extends SymbolConsumer> {
  private readonly running = new Map<string, Consumer>();
  private readonly paused = new Map<string, Paused>();
  /** By symbol: positions that were stored, and when. */
  private readonly passed = new Map<string, Passed[]>();

  constructor(private readonly deps: StreamRunnerDeps<Consumer>) {}

  get consumers(): Consumer[] {
    return [...this.running.values()];
  }

  /** Why symbols are paused, by symbol. */
  get problems(): Map<string, string> {
    const paused = [...this.paused].filter(([symbol]) => !this.running.has(symbol));
    return new Map(paused.map(([symbol, { problem }]) => [symbol, problem]));
  }

  /**
   * Resolves to whether any order was read.
   * @param isQuiet the streams at `ends()` are known to have nothing new, and are not read
   */
  async step({ isQuiet = false } = {}): Promise<boolean> {
    await this.claimNew();
    const byPartition = byPartitionOf(this.running);
    const counts = await Promise.all(
      [...byPartition].map(async ([partition, group]) =>
        this.handOverAll(group, isQuiet ? new Map() : await this.read(partition, group)),
      ),
    );
    return counts.some(count => count > 0);
  }

  /** Where each stream is read next: its key, and the id of the last entry that was read. */
  ends(): Map<string, string> {
    const { log } = this.deps;
    return new Map(
      [...this.running].map(([symbol, { position }]) => [
        orderedKey(log, partitionOf(symbol), symbol),
        `${position}-0`,
      ]),
    );
  }

  private async claimNew(): Promise<void> {
    const { leases, symbols, open, redis, log } = this.deps;
    for (const symbol of symbols()) {
      const epoch = leases.get(partitionOf(symbol));
      if (epoch === undefined || this.running.has(symbol)) continue;
      if ((this.paused.get(symbol)?.untilMs ?? 0) > performance.now()) continue;
      const consumer = await open(symbol, epoch);
      const problem = await findRewritten(redis, log, { symbol, ...consumer.opened });
      await this.alone(symbol, async () => {
        if (problem !== null) throw new BrokenStream(problem);
        this.running.set(symbol, consumer);
        this.passed.set(symbol, []);
      });
    }
  }

  /** The next entries of each symbol that has any. */
  private async read(partition: number, group: Group<Consumer>): Promise<Map<string, StreamEntry[]>> {
    const { redis, log } = this.deps;
    const symbols = new Map(group.map(({ symbol }) => [orderedKey(log, partition, symbol), symbol]));
    const ids = group.map(({ consumer }) => `${consumer.position}-0`);
    const reply = await redis.xreadBuffer("COUNT", FRAMES_PER_READ, "STREAMS", ...symbols.keys(), ...ids);
    return new Map(
      (reply ?? []).map(([key, entries]) => [
        symbols.get(key.toString())!,
        entries.map(([, fields]) => toEntry(fields)),
      ]),
    );
  }

  private async handOverAll(
    group: Group<Consumer>,
    read: ReadonlyMap<string, StreamEntry[]>,
  ): Promise<number> {
    await Promise.all(
      group.map(async ({ symbol, consumer }) => {
        const before = consumer.storedPosition;
        await this.alone(symbol, async () => {
          const entries = read.get(symbol);
          if (entries) await this.handOver(symbol, consumer, entries);
          // Read again from an old snapshot is not yet further than before.
          if (consumer.position > (this.paused.get(symbol)?.position ?? 0)) this.paused.delete(symbol);
          await consumer.rest?.();
        });
        if (consumer.storedPosition > before) await this.pass(symbol, consumer.storedPosition);
      }),
    );
    return [...read.values()].reduce((sum, entries) => sum + entries.length, 0);
  }

  /** @throws BrokenStream behind the orders that follow on, or what the consumer throws */
  private async handOver(symbol: string, consumer: Consumer, entries: readonly StreamEntry[]): Promise<void> {
    const { on } = this.deps;
    const orders: OrderedOrder[] = [];
    let broken: BrokenStream | null = null;
    for (const { bytes, writtenMs: orderedMs } of entries) {
      const frame = decodeFrame(bytes);
      broken = this.problemOf(symbol, frame.firstPosition, consumer.position + orders.length);
      if (broken) break;
      let position = frame.firstPosition;
      for (const payload of frame.payloads()) {
        const stamp = frame.stampAt(position - frame.firstPosition);
        orders.push({ position, stamp, order: readOrder(payload, symbol), orderedMs });
        position += 1;
      }
    }
    if (orders.length > 0) {
      await consumer.apply(orders);
      on?.applied?.(symbol, orders.length, orders[0]!.stamp.timeUs);
      const writtenMs = entries[0]!.writtenMs;
      if (writtenMs !== null) on?.stored?.(Math.max(0, Date.now() - writtenMs));
    }
    if (broken) throw broken;
  }

  /** Frames never overlap: what was stored before is read again whole, from the stored position on. */
  private problemOf(symbol: string, firstPosition: number, position: number): BrokenStream | null {
    const missing = firstPosition - position - 1;
    if (missing === 0) return null;
    if (missing > 0) this.deps.on?.gap?.(symbol, missing);
    return new BrokenStream(
      missing > 0
        ? `${symbol}: ${missing} orders are missing before position ${firstPosition}.`
        : `${symbol}: position ${firstPosition} comes again; ${position} are applied.`,
    );
  }

  /** Runs work of one symbol; an error pauses that symbol only. */
  private async alone(symbol: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof LeaseLost || isPassing(error)) throw error;
      const position = this.running.get(symbol)?.position ?? 0;
      this.running.delete(symbol);
      const failures = (this.paused.get(symbol)?.failures ?? 0) + 1;
      const untilMs = performance.now() + backoffMs(failures, PAUSE_MS, MAX_PAUSE_MS);
      this.paused.set(symbol, {
        problem: error instanceof Error ? error.message : String(error),
        position,
        failures,
        untilMs,
      });
      this.deps.on?.paused?.(symbol, error);
    }
  }

  /** Tells the aggregator what is stored, and lets the stream forget what was stored long ago. */
  private async pass(symbol: string, position: number): Promise<void> {
    const { redis, log } = this.deps;
    const partition = partitionOf(symbol);
    const keys = [orderedKey(log, partition, symbol), headKey(log, partition, symbol)];
    const passed = this.passed.get(symbol) ?? [];
    passed.push({ atMs: performance.now(), position });
    const old = passed.filter(({ atMs }) => performance.now() - atMs >= KEPT_MS);
    passed.splice(0, Math.max(0, old.length - 1));
    await redis.outputPassed(...keys, position, old.at(-1)?.position ?? 0);
  }
}

function toEntry([, bytes, , time]: Buffer[]): StreamEntry {
  return { bytes: bytes!, writtenMs: time ? Number(time.toString("latin1")) : null };
}

function byPartitionOf<Consumer>(running: ReadonlyMap<string, Consumer>) {
  const groups = new Map<number, { symbol: string; consumer: Consumer }[]>();
  for (const [symbol, consumer] of running) {
    const partition = partitionOf(symbol);
    groups.set(partition, (groups.get(partition) ?? []).concat({ symbol, consumer }));
  }
  return groups;
}
