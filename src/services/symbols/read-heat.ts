import type { RedisClient } from "../../store/redis";
import { heartbeatId } from "../../telemetry/flusher";
import { idOf } from "../../telemetry/instruments";
import { readRollups } from "../../telemetry/read-rollups";
import { SETTLED_AFTER_MS } from "../../telemetry/read-series";
import { floorTo, ROLLUPS } from "../../telemetry/rollups";

/** Orders per second of each symbol; null where no server reported. */
export type Heat = { stepMs: number; fromMs: number; rates: ReadonlyMap<string, (number | null)[]> };

const POINTS = 60;

/** The last ten minutes of every symbol, a point per ten seconds. */
export class HeatReader {
  private last: { fromMs: number; heat: Promise<Heat> } | null = null;

  constructor(private readonly redis: RedisClient) {}

  /** @throws when Redis does not answer */
  read(symbols: readonly string[]): Promise<Heat> {
    const rollup = ROLLUPS[1]!;
    const endMs = floorTo(Date.now() - SETTLED_AFTER_MS, rollup.stepMs);
    const fromMs = endMs - POINTS * rollup.stepMs;
    if (this.last?.fromMs === fromMs) return this.last.heat;
    const heat = this.load(symbols, fromMs).catch((error: unknown) => {
      this.last = null;
      throw error;
    });
    this.last = { fromMs, heat };
    return heat;
  }

  private async load(symbols: readonly string[], fromMs: number): Promise<Heat> {
    const rollup = ROLLUPS[1]!;
    const up = heartbeatId("server");
    const idFor = (symbol: string) => idOf("orders_offered_total", symbol);
    const wanted = [up, ...symbols.map(idFor)].map(id => ({ id, as: "sum" as const }));
    const grid = { rollup, startMs: fromMs, stepMs: rollup.stepMs, count: POINTS };
    const points = await readRollups(this.redis, wanted, grid);
    const isUp = points.get(up)!.sums.map(sum => sum !== null);
    const seconds = rollup.stepMs / 1_000;
    const rates = new Map(
      symbols.map(symbol => {
        const { sums } = points.get(idFor(symbol))!;
        return [symbol, sums.map((sum, n) => (isUp[n] ? (sum ?? 0) / seconds : null))];
      }),
    );
    return { stepMs: rollup.stepMs, fromMs, rates };
  }
}
