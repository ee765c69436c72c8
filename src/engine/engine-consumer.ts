import { formatStamp } from "../domain/orders/order-stamp";
import type { EngineStore } from "./engine-store";
import type { OrderedOrder, SymbolConsumer } from "./symbol-consumer";
import { newResults, type Results, SymbolEngine, type SymbolEngineOptions } from "./symbol-engine";

export type EngineConsumerDeps = SymbolEngineOptions & {
  store: EngineStore;
  /** A snapshot is made so often at most, milliseconds, while there is something new. */
  snapshotEveryMs: number;
  onResults?: (results: Results, violations: number) => void;
};

const LEAST_PURGED = 5_000;
/** A snapshot may take a twentieth of the time. */
const SNAPSHOT_UTILIZATION = 20;

/** The reference engine of one symbol, and what is stored of it: results and position in one transaction. */
export class EngineConsumer implements SymbolConsumer {
  /** Of the last snapshot: orders up to here are never matched again. */
  storedPosition: number;
  private committed: number;
  /** Of the order at the engine's position. */
  private lastStamp: string | null;
  /** By this process's own clock. */
  private snapshotAtMs = 0;

  private constructor(
    readonly engine: SymbolEngine,
    private readonly epoch: number,
    readonly opened: SymbolConsumer["opened"],
    private readonly deps: EngineConsumerDeps,
  ) {
    this.committed = opened.position;
    this.lastStamp = opened.lastStamp;
    this.storedPosition = engine.position;
  }

  /** Refuses engines of earlier epochs from now on. @throws LeaseLost */
  static async open(symbol: string, epoch: number, deps: EngineConsumerDeps): Promise<EngineConsumer> {
    const { position, lastStamp, snapshot } = await deps.store.claim(symbol, epoch);
    const engine = SymbolEngine.restore(symbol, snapshot, deps);
    return new EngineConsumer(engine, epoch, { position, lastStamp }, deps);
  }

  get position(): number {
    return this.engine.position;
  }

  async apply(orders: readonly OrderedOrder[]): Promise<void> {
    const { engine } = this;
    const { store, onResults } = this.deps;
    const known = await store.findOutcomes(
      engine.symbol,
      orders.flatMap(({ order }) => order ?? []),
    );
    const results = newResults(known);
    const violations = engine.totals.violations;
    for (const { position, ...arrival } of orders) engine.apply(position, arrival, results);
    this.lastStamp = formatStamp(orders.at(-1)!.stamp);
    await this.commit(results);
    onResults?.(results, engine.totals.violations - violations);
  }

  /** A symbol that fell silent gets its snapshot, too: else its stream would never be trimmed. */
  async rest(): Promise<void> {
    const { committed, storedPosition } = this;
    if (this.position !== committed || storedPosition === committed || !this.isDue()) return;
    await this.store(newResults(), this.snapshot());
  }

  /** What lies before `committed` was stored by an earlier run: it only rebuilds the state. */
  private async commit({ trades, rejects, outcomes }: Results): Promise<void> {
    const { committed } = this;
    if (this.position <= committed) return;
    const fresh = {
      trades: trades.filter(({ position }) => position > committed),
      rejects: rejects.filter(({ position }) => position > committed),
      outcomes,
    };
    await this.store(fresh, this.isDue() ? this.snapshot() : null);
  }

  private async store(results: Results, snapshot: Buffer | null): Promise<void> {
    const { epoch, lastStamp, committed: before } = this;
    const { symbol, position, totals } = this.engine;
    await this.deps.store.commit({ symbol, epoch, before, position, lastStamp, totals, results, snapshot });
    this.committed = position;
    if (!snapshot) return;
    // More goes than came since the last time, so that results of long ago never pile up.
    const limit = LEAST_PURGED + 4 * (position - this.storedPosition);
    this.storedPosition = position;
    await this.deps.store.purge(symbol, position, limit);
  }

  private isDue(): boolean {
    return performance.now() >= this.snapshotAtMs;
  }

  private snapshot(): Buffer {
    const startMs = performance.now();
    const snapshot = this.engine.snapshot();
    const endMs = performance.now();
    this.snapshotAtMs = endMs + Math.max(this.deps.snapshotEveryMs, (endMs - startMs) * SNAPSHOT_UTILIZATION);
    return snapshot;
  }
}
