import type { Order } from "../domain/orders/order";
import { formatStamp } from "../domain/orders/order-stamp";
import { unpackOrder } from "../store/codec/order-payload";
import { decodeFrame } from "../store/codec/ordered-frame";
import type { EngineStore, StoredState } from "./engine-store";
import { type Results, SymbolEngine } from "./symbol-engine";

export type SymbolRunDeps = {
  store: EngineStore;
  /** A snapshot is made so often at most, milliseconds, while there is something new. */
  snapshotEveryMs: number;
  on?: {
    /** `oldestUs`: the first order's time. */
    applied?(symbol: string, count: number, oldestUs: number): void;
    /** The oldest frame's results are stored; since it was written by the aggregator. */
    stored?(sinceMs: number): void;
    results?(results: Results, violations: number): void;
    gap?(symbol: string, missing: number): void;
  };
};

/** A frame, and when it was written; null in streams of before that was noted. */
export type OrderedEntry = { bytes: Buffer; writtenMs: number | null };

/** Nothing is read past it: trying again can't help while the stream is as it is. */
export class BrokenStream extends Error {}

const LEAST_PURGED = 5_000;
/** A snapshot may take a twentieth of the time. */
const SNAPSHOT_UTILIZATION = 20;

/**
 * One symbol's engine and what of it is stored: results and position go into one transaction. After any
 * error it must be thrown away and restored from the last snapshot; it stores nothing twice.
 */
export class SymbolRun {
  readonly engine: SymbolEngine;
  /** Orders up to here are never matched again. */
  snapshotPosition: number;
  private readonly snapshots: { atMs: number; position: number }[] = [];
  private committed: number;
  /** Of the order at the engine's position. */
  private lastStamp: string | null;
  private snapshotAtMs = 0;

  constructor(
    readonly symbol: string,
    private readonly epoch: number,
    { position, lastStamp, snapshot }: StoredState,
    private readonly deps: SymbolRunDeps,
  ) {
    this.engine = SymbolEngine.restore(symbol, snapshot);
    this.committed = position;
    this.lastStamp = lastStamp;
    this.snapshotPosition = this.engine.position;
  }

  /** @throws BrokenStream | EngineLeaseLost | what the database says */
  async take(entries: readonly OrderedEntry[]): Promise<void> {
    const { engine, symbol } = this;
    const { on } = this.deps;
    const results: Results = { trades: [], rejects: [] };
    const violations = engine.totals.violations;
    let broken: BrokenStream | null = null;
    for (const { bytes } of entries) {
      const frame = decodeFrame(bytes);
      broken = this.problemOf(frame.firstPosition);
      if (broken) break;
      let index = 0;
      for (const payload of frame.payloads()) {
        const order = readOrder(payload, symbol);
        engine.apply(frame.firstPosition + index, { stamp: frame.stampAt(index), order }, results);
        index += 1;
      }
      this.lastStamp = formatStamp(frame.stampAt(frame.count - 1));
      on?.applied?.(symbol, frame.count, frame.stampAt(0).timeUs);
    }
    await this.commit(results);
    const writtenMs = entries[0]?.writtenMs ?? null;
    if (writtenMs !== null) on?.stored?.(Math.max(0, Date.now() - writtenMs));
    on?.results?.(results, engine.totals.violations - violations);
    if (broken) throw broken;
  }

  /** A symbol that fell silent gets its snapshot, too: else its stream would never be trimmed. */
  async rememberQuiet(): Promise<void> {
    const { committed, snapshotPosition } = this;
    if (this.engine.position !== committed || snapshotPosition === committed || !this.isDue()) return;
    await this.store({ trades: [], rejects: [] }, this.snapshot());
  }

  /** Orders up to here need not be kept: their snapshot is older than `keepMs`. */
  takeForgettable(keepMs: number): number {
    const old = this.snapshots.filter(({ atMs }) => performance.now() - atMs >= keepMs);
    this.snapshots.splice(0, Math.max(0, old.length - 1));
    return old.at(-1)?.position ?? 0;
  }

  /** Frames never overlap: what was stored before is read again whole, from the snapshot's position on. */
  private problemOf(firstPosition: number): BrokenStream | null {
    const { symbol, engine } = this;
    const missing = firstPosition - engine.position - 1;
    if (missing === 0) return null;
    if (missing > 0) this.deps.on?.gap?.(symbol, missing);
    return new BrokenStream(
      missing > 0
        ? `${symbol}: ${missing} orders are missing before position ${firstPosition}.`
        : `${symbol}: position ${firstPosition} comes again; ${engine.position} are matched.`,
    );
  }

  /** What lies before `committed` was stored by an earlier run: it only rebuilds the state. */
  private async commit({ trades, rejects }: Results): Promise<void> {
    const { committed } = this;
    if (this.engine.position <= committed) return;
    const fresh = {
      trades: trades.filter(({ position }) => position > committed),
      rejects: rejects.filter(({ position }) => position > committed),
    };
    await this.store(fresh, this.isDue() ? this.snapshot() : null);
  }

  private async store(results: Results, snapshot: Buffer | null): Promise<void> {
    const { symbol, epoch, committed: before } = this;
    const { lastStamp } = this;
    const { position, totals } = this.engine;
    await this.deps.store.commit({ symbol, epoch, before, position, lastStamp, totals, results, snapshot });
    this.committed = position;
    if (!snapshot) return;
    // More goes than came since the last time, so that results of long ago never pile up.
    const limit = LEAST_PURGED + 4 * (position - this.snapshotPosition);
    this.snapshotPosition = position;
    this.snapshots.push({ atMs: performance.now(), position });
    await this.deps.store.purge(symbol, position, limit);
  }

  private isDue(): boolean {
    return performance.now() >= this.snapshotAtMs;
  }

  private snapshot(): Buffer {
    const startMs = performance.now();
    const snapshot = this.engine.snapshot();
    const tookMs = performance.now() - startMs;
    this.snapshotAtMs =
      performance.now() + Math.max(this.deps.snapshotEveryMs, tookMs * SNAPSHOT_UTILIZATION);
    return snapshot;
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
