import type { Order } from "../domain/order";
import { partitionOf } from "../domain/order-partition";
import { unpackOrder } from "../domain/order-payload";
import { decodeFrame } from "../domain/ordered-frame";
import { headKey, orderedKey } from "../store/order-keys";
import type { Leases } from "../store/partition-leases";
import type { RedisClient } from "../store/redis";
import type { EngineStore } from "./engine-store";
import { type Results, SymbolEngine } from "./symbol-engine";

export type EngineRunnerDeps = {
  redis: RedisClient;
  log: string;
  store: EngineStore;
  leases: Leases;
  symbols: () => Iterable<string>;
  /** A snapshot is made so often at most, milliseconds, while there is something new. */
  snapshotEveryMs: number;
  on?: {
    /** `oldestUs`: the first order's time. */
    applied?(symbol: string, count: number, oldestUs: number): void;
    results?(results: Results, violations: number): void;
    gap?(symbol: string, missing: number): void;
  };
};

type Running = { engine: SymbolEngine; committed: number; snapshotAtMs: number; snapshotPosition: number };

const FRAMES_PER_READ = 50;
/** A snapshot may take a twentieth of the time. */
const SNAPSHOT_SHARE = 20;

/**
 * Reads the ordered streams of its partitions, and stores results and position in one transaction. After
 * any error it must be thrown away and made anew: it goes on from the last snapshot, and stores nothing
 * again that was stored before.
 */
export class EngineRunner {
  private readonly running = new Map<string, Running>();

  constructor(private readonly deps: EngineRunnerDeps) {}

  get engines(): SymbolEngine[] {
    return [...this.running.values()].map(({ engine }) => engine);
  }

  /** Resolves to whether there was anything. */
  async step(): Promise<boolean> {
    await this.claimNew();
    const byPartition = byPartitionOf(this.running.values());
    const counts = await Promise.all(
      [...byPartition].map(([partition, group]) => this.stepPartition(partition, group)),
    );
    return counts.some(count => count > 0);
  }

  private async claimNew(): Promise<void> {
    const { leases, store, symbols } = this.deps;
    for (const symbol of symbols()) {
      const epoch = leases.get(partitionOf(symbol));
      if (epoch === undefined || this.running.has(symbol)) continue;
      const { position, snapshot } = await store.claim(symbol, epoch);
      const engine = SymbolEngine.restore(symbol, snapshot);
      const snapshotPosition = engine.position;
      this.running.set(symbol, { engine, committed: position, snapshotAtMs: 0, snapshotPosition });
    }
  }

  private async stepPartition(partition: number, group: Running[]): Promise<number> {
    const { redis, log } = this.deps;
    const keys = group.map(({ engine }) => orderedKey(log, partition, engine.symbol));
    const ids = group.map(({ engine }) => `${engine.position}-0`);
    const reply = await redis.xreadBuffer("COUNT", FRAMES_PER_READ, "STREAMS", ...keys, ...ids);
    let applied = 0;
    await Promise.all(
      (reply ?? []).map(([key, entries]) => {
        const running = group[keys.indexOf(key.toString())]!;
        applied += entries.length;
        return this.take(
          running,
          entries.map(([, fields]) => fields[1]!),
        );
      }),
    );
    await Promise.all(group.map(running => this.rememberQuiet(running)));
    return applied;
  }

  private async take(running: Running, frames: Buffer[]): Promise<void> {
    const { engine } = running;
    const { on } = this.deps;
    const results: Results = { trades: [], rejects: [] };
    const violations = engine.totals.violations;
    for (const bytes of frames) {
      const frame = decodeFrame(bytes);
      const missing = frame.firstPosition - engine.position - 1;
      if (missing > 0) {
        on?.gap?.(engine.symbol, missing);
        throw new Error(
          `${engine.symbol}: ${missing} orders are missing before position ${frame.firstPosition}`,
        );
      }
      let index = 0;
      for (const payload of frame.payloads()) {
        const position = frame.firstPosition + index;
        const order = readOrder(payload, engine.symbol);
        if (position > engine.position)
          engine.apply(position, { stamp: frame.stampAt(index), order }, results);
        index += 1;
      }
      on?.applied?.(engine.symbol, frame.count, frame.stampAt(0).timeUs);
    }
    await this.commit(running, results);
    on?.results?.(results, engine.totals.violations - violations);
  }

  /** What lies before `committed` was stored by an earlier run: it only rebuilds the state. */
  private async commit(running: Running, { trades, rejects }: Results): Promise<void> {
    const { engine, committed } = running;
    const { symbol, position, totals } = engine;
    const snapshot = position > committed && this.isDue(running) ? this.snapshotOf(running) : null;
    if (position <= committed) return;
    await this.deps.store.commit({
      ...{ symbol, epoch: this.deps.leases.get(partitionOf(symbol))!, before: committed, position, totals },
      results: {
        trades: trades.filter(trade => trade.position > committed),
        rejects: rejects.filter(reject => reject.position > committed),
      },
      snapshot,
    });
    running.committed = position;
    if (snapshot) await this.pass(running);
  }

  /** A symbol that fell silent gets its snapshot, too: else its stream would never be trimmed. */
  private async rememberQuiet(running: Running): Promise<void> {
    const { engine, committed, snapshotPosition } = running;
    if (engine.position !== committed || snapshotPosition === committed || !this.isDue(running)) return;
    const { symbol, position, totals } = engine;
    const epoch = this.deps.leases.get(partitionOf(symbol))!;
    const snapshot = this.snapshotOf(running);
    const results = { trades: [], rejects: [] };
    await this.deps.store.commit({ symbol, epoch, before: committed, position, totals, results, snapshot });
    await this.pass(running);
    await this.deps.store.purge(symbol, position);
  }

  private isDue({ snapshotAtMs }: Running): boolean {
    return Date.now() >= snapshotAtMs;
  }

  private snapshotOf(running: Running): Buffer {
    const startMs = performance.now();
    const snapshot = running.engine.snapshot();
    const tookMs = performance.now() - startMs;
    running.snapshotAtMs = Date.now() + Math.max(this.deps.snapshotEveryMs, tookMs * SNAPSHOT_SHARE);
    return snapshot;
  }

  private async pass(running: Running): Promise<void> {
    const { redis, log } = this.deps;
    const { symbol, position } = running.engine;
    running.snapshotPosition = position;
    const partition = partitionOf(symbol);
    await redis.outputPassed(orderedKey(log, partition, symbol), headKey(log, partition, symbol), position);
  }
}

/** Null for bytes that are no order: the producer's fault, which must not stop the symbol. */
function readOrder(payload: Buffer, symbol: string): Order | null {
  try {
    return unpackOrder(payload, symbol);
  } catch {
    return null;
  }
}

function byPartitionOf(running: Iterable<Running>): Map<number, Running[]> {
  const groups = new Map<number, Running[]>();
  for (const item of running) {
    const partition = partitionOf(item.engine.symbol);
    groups.set(partition, [...(groups.get(partition) ?? []), item]);
  }
  return groups;
}
