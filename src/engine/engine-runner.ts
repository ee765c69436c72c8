import { partitionOf } from "../domain/orders/order-partition";
import { backoffMs } from "../runtime/backoff";
import { headKey, orderedKey } from "../store/order-keys";
import type { Leases } from "../store/partition-leases";
import type { RedisClient } from "../store/redis";
import { isDatabaseUnavailable } from "../store/unavailable";
import { EngineLeaseLost } from "./engine-store";
import { findRewritten } from "./find-rewritten";
import type { SymbolEngine } from "./symbol-engine";
import { BrokenStream, type OrderedEntry, SymbolRun, type SymbolRunDeps } from "./symbol-run";

export type EngineRunnerDeps = SymbolRunDeps & {
  redis: RedisClient;
  log: string;
  leases: Leases;
  symbols: () => Iterable<string>;
  on?: SymbolRunDeps["on"] & {
    /** Called when a symbol is paused by an error; the others continue. */
    paused?(symbol: string, error: unknown): void;
  };
};

/** A paused symbol: why, at which position, and when it is retried. */
type Paused = { problem: string; position: number; failures: number; untilMs: number };

const FRAMES_PER_READ = 50;
/** So much of the ordered streams is kept, to distinguish a late order from a repeat. */
const KEPT_MS = 30_000;
const PARK_MS = 1_000;
const MAX_PARK_MS = 30_000;

/**
 * Reads the ordered streams of its partitions and matches them. An error of one symbol pauses that
 * symbol. After any other error discard it and make a new one, which continues from the last snapshots.
 */
export class EngineRunner {
  private readonly running = new Map<string, SymbolRun>();
  private readonly paused = new Map<string, Paused>();

  constructor(private readonly deps: EngineRunnerDeps) {}

  get engines(): SymbolEngine[] {
    return [...this.running.values()].map(({ engine }) => engine);
  }

  /** Why symbols are paused, by symbol. */
  get problems(): Map<string, string> {
    const paused = [...this.paused].filter(([symbol]) => !this.running.has(symbol));
    return new Map(paused.map(([symbol, { problem }]) => [symbol, problem]));
  }

  /** Resolves to whether any order was read. */
  async step(): Promise<boolean> {
    await this.claimNew();
    const byPartition = byPartitionOf(this.running.values());
    const counts = await Promise.all(
      [...byPartition].map(([partition, group]) => this.stepPartition(partition, group)),
    );
    return counts.some(count => count > 0);
  }

  private async claimNew(): Promise<void> {
    const { leases, symbols, store, redis, log } = this.deps;
    for (const symbol of symbols()) {
      const epoch = leases.get(partitionOf(symbol));
      if (epoch === undefined || this.running.has(symbol)) continue;
      if ((this.paused.get(symbol)?.untilMs ?? 0) > performance.now()) continue;
      const stored = await store.claim(symbol, epoch);
      const problem = await findRewritten(redis, log, { symbol, ...stored });
      await this.alone(symbol, async () => {
        if (problem !== null) throw new BrokenStream(problem);
        this.running.set(symbol, new SymbolRun(symbol, epoch, stored, this.deps));
      });
    }
  }

  private async stepPartition(partition: number, group: SymbolRun[]): Promise<number> {
    const { redis, log } = this.deps;
    const keys = group.map(({ symbol }) => orderedKey(log, partition, symbol));
    const ids = group.map(({ engine }) => `${engine.position}-0`);
    const reply = await redis.xreadBuffer("COUNT", FRAMES_PER_READ, "STREAMS", ...keys, ...ids);
    const frames = new Map(
      (reply ?? []).map(([key, entries]) => [key.toString(), entries.map(([, fields]) => toEntry(fields))]),
    );
    await Promise.all(
      group.map(async (run, i) => {
        const before = run.snapshotPosition;
        await this.alone(run.symbol, async () => {
          const read = frames.get(keys[i]!);
          if (read) await run.take(read);
          // After a restart from an older snapshot the position may not have advanced yet.
          if (run.engine.position > (this.paused.get(run.symbol)?.position ?? 0))
            this.paused.delete(run.symbol);
          await run.rememberQuiet();
        });
        if (run.snapshotPosition > before) await this.pass(run);
      }),
    );
    return [...frames.values()].reduce((sum, read) => sum + read.length, 0);
  }

  /** Runs work of one symbol; an error pauses that symbol only. */
  private async alone(symbol: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof EngineLeaseLost || isDatabaseUnavailable(error)) throw error;
      const position = this.running.get(symbol)?.engine.position ?? 0;
      this.running.delete(symbol);
      const failures = (this.paused.get(symbol)?.failures ?? 0) + 1;
      const untilMs = performance.now() + backoffMs(failures, PARK_MS, MAX_PARK_MS);
      this.paused.set(symbol, {
        problem: error instanceof Error ? error.message : String(error),
        position,
        failures,
        untilMs,
      });
      this.deps.on?.paused?.(symbol, error);
    }
  }

  private async pass(run: SymbolRun): Promise<void> {
    const { symbol, snapshotPosition } = run;
    const { redis, log } = this.deps;
    const partition = partitionOf(symbol);
    const keys = [orderedKey(log, partition, symbol), headKey(log, partition, symbol)];
    await redis.outputPassed(...keys, snapshotPosition, run.takeForgettable(KEPT_MS));
  }
}

function toEntry([, bytes, , time]: Buffer[]): OrderedEntry {
  return { bytes: bytes!, writtenMs: time ? Number(time.toString("latin1")) : null };
}

function byPartitionOf(running: Iterable<SymbolRun>): Map<number, SymbolRun[]> {
  const groups = new Map<number, SymbolRun[]>();
  for (const run of running) {
    const partition = partitionOf(run.symbol);
    groups.set(partition, [...(groups.get(partition) ?? []), run]);
  }
  return groups;
}
