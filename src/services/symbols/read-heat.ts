import type { RedisClient } from "../../store/redis";
import { heartbeatId } from "../../telemetry/flusher";
import { idOf, OTHER } from "../../telemetry/instruments";
import { readBucket } from "../../telemetry/read-bucket";
import { SETTLED_AFTER_MS } from "../../telemetry/read-series";
import { floorTo, ROLLUPS } from "../../telemetry/rollups";

/** Orders per second of each symbol; null where no server reported. */
export type Heat = { stepMs: number; fromMs: number; rates: ReadonlyMap<string, (number | null)[]> };

const POINTS = 60;
/** The newest points are read again: a server that lost its connection flushes its counts later. */
const READ_AGAIN = 2;
/** All points are read again after this time. */
const RELOAD_AFTER_MS = 300_000;
const ROLLUP = ROLLUPS[1]!;

/** The last ten minutes of every symbol, a point per ten seconds. Only the newest points are read again. */
export class HeatReader {
  private last: { fromMs: number; heat: Promise<Heat> } | null = null;
  private known: Heat | null = null;
  private reloadAtMs = 0;

  constructor(private readonly redis: RedisClient) {}

  /** @throws when Redis does not answer */
  read(symbols: readonly string[]): Promise<Heat> {
    const endMs = floorTo(Date.now() - SETTLED_AFTER_MS, ROLLUP.stepMs);
    const fromMs = endMs - POINTS * ROLLUP.stepMs;
    if (this.last?.fromMs === fromMs) return this.last.heat;
    const heat = this.load(symbols, fromMs).catch((error: unknown) => {
      this.last = null;
      throw error;
    });
    this.last = { fromMs, heat };
    return heat;
  }

  private async load(symbols: readonly string[], fromMs: number): Promise<Heat> {
    const isReload = Date.now() >= this.reloadAtMs;
    const { known } = this;
    const passed = known && !isReload ? Math.round((fromMs - known.fromMs) / ROLLUP.stepMs) : POINTS;
    const first = Math.max(0, POINTS - passed - READ_AGAIN);
    const rates = new Map<string, (number | null)[]>(
      symbols.map(symbol => {
        const kept = first === 0 ? [] : known?.rates.get(symbol)?.slice(passed, passed + first);
        return [symbol, kept ?? new Array<null>(first).fill(null)];
      }),
    );
    const ids = [
      heartbeatId("server"),
      ...[OTHER, ...symbols].map(symbol => idOf("orders_offered_total", symbol)),
    ];
    for (let point = first; point < POINTS; point += 1) {
      const atMs = fromMs + point * ROLLUP.stepMs;
      const [up, others, ...sums] = await readBucket(this.redis, ids, { rollup: ROLLUP, atMs });
      // Once a server counts symbols together, a symbol without its own sum is unknown.
      const missing = up == null || (others ?? 0) > 0 ? null : 0;
      symbols.forEach((symbol, i) => {
        const sum = up == null ? null : (sums[i] ?? missing);
        rates.get(symbol)!.push(sum === null ? null : rateOf(sum));
      });
    }
    if (isReload) this.reloadAtMs = Date.now() + RELOAD_AFTER_MS;
    this.known = { stepMs: ROLLUP.stepMs, fromMs, rates };
    return this.known;
  }
}

/** Three digits are enough for a line: a thousand symbols send sixty points each second. */
const rateOf = (sum: number) => Number(((sum * 1_000) / ROLLUP.stepMs).toPrecision(3));
