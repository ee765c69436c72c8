import type { Watch } from "../../domain/orders/split-suggestion";
import { suggestionsKey } from "../../store/order-keys";
import type { RedisClient } from "../../store/redis";

/** A watched symbol with the figures of the last second. */
export type WatchedSymbol = Watch & {
  symbol: string;
  /** Utilization of one shard, if the symbol were not split. */
  utilization: number;
  throttledPerSecond: number;
  /** Why automatic mode has not acted yet; null where it is off, or about to act. */
  waitingFor: string | null;
};

/** All watched symbols. `atMs`: when they were written, milliseconds since 1970. */
export type WatchReport = { atMs: number; entries: WatchedSymbol[] };

/** The hottest symbols. The watch of a colder one starts again with each new owner. */
const MAX_ENTRIES = 200;
const KEPT_MS = 60_000;
/** It is written every second; an older report means that no process watches. */
const FRESH_MS = 10_000;

/** The present watches and suggestions in Redis, for the console and for the next watching process. */
export class SuggestionStore {
  private readonly key: string;

  constructor(
    private readonly redis: RedisClient,
    log: string,
  ) {
    this.key = suggestionsKey(log);
  }

  async write(entries: readonly WatchedSymbol[], nowMs: number): Promise<void> {
    const hottest = [...entries].sort((a, b) => b.utilization - a.utilization).slice(0, MAX_ENTRIES);
    const report: WatchReport = { atMs: nowMs, entries: hottest };
    await this.redis.write(this.key, "SET", JSON.stringify(report), "PX", KEPT_MS);
  }

  /** Null when no process has watched in the last seconds. @throws when Redis does not answer */
  async read(nowMs = Date.now()): Promise<WatchReport | null> {
    const text = await this.redis.get(this.key);
    const report = text === null ? null : (JSON.parse(text) as WatchReport);
    return report && nowMs - report.atMs <= FRESH_MS ? report : null;
  }
}
