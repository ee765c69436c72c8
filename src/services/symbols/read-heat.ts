import type { RedisClient } from "../../store/redis";
import { heartbeatId } from "../../telemetry/flusher";
import { idOf, OTHER } from "../../telemetry/instruments";
import { readBucket } from "../../telemetry/read-bucket";
import { SETTLED_AFTER_MS } from "../../telemetry/read-series";
import { floorTo, ROLLUPS } from "../../telemetry/rollups";

/** Orders per second of each symbol; null where no server reported. */
export type Heat = { stepMs: number; fromMs: number; rates: ReadonlyMap<string, (number | null)[]> };

const POINTS = 60;
/** Points that are read again: a server that was cut off for a moment brings its counts later. */
const AGAIN = 2;
/** After so long all of them are. */
const ANEW_AFTER_MS = 300_000;
const ROLLUP = ROLLUPS[1]!;

/** The last ten minutes of every symbol, a point per ten seconds, of which only the newest are read. */
export class HeatReader {
  private last: { fromMs: number; heat: Promise<Heat> } | null = null;
  private known: Heat | null = null;
  private anewAtMs = 0;

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
    const isAnew = Date.now() >= this.anewAtMs;
    const { known } = this;
    const passed = known && !isAnew ? Math.round((fromMs - known.fromMs) / ROLLUP.stepMs) : POINTS;
    const first = Math.max(0, POINTS - passed - AGAIN);
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
      // Past what a server counts apart, a symbol without a sum of its own is not known.
      const missing = up == null || (others ?? 0) > 0 ? null : 0;
      symbols.forEach((symbol, i) => {
        const sum = up == null ? null : (sums[i] ?? missing);
        rates.get(symbol)!.push(sum === null ? null : rateOf(sum));
      });
    }
    if (isAnew) this.anewAtMs = Date.now() + ANEW_AFTER_MS;
    this.known = { stepMs: ROLLUP.stepMs, fromMs, rates };
    return this.known;
  }
}

/** Three digits draw the same line, and a thousand symbols send sixty of them each second. */
const rateOf = (sum: number) => Number(((sum * 1_000) / ROLLUP.stepMs).toPrecision(3));
