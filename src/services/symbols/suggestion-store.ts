import type { Watch } from "../../domain/orders/split-suggestion";
import { suggestionsKey } from "../../store/order-keys";
import type { RedisClient } from "../../store/redis";

/** A symbol that is watched, with the figures of the last second. */
export type BoardEntry = Watch & {
  symbol: string;
  /** What one shard would have to take if it were not split, of its limit. */
  utilization: number;
  throttledPerSecond: number;
  /** Why automatic mode does not do it; null where it is off, or about to act. */
  held: string | null;
};

/** `atMs`: when it was written, milliseconds since 1970. */
export type Board = { atMs: number; entries: BoardEntry[] };

/** The hottest; what is colder is watched anew each time the watch changes hands. */
const MAX_ENTRIES = 200;
const KEPT_MS = 60_000;
/** Written every second: what is older says that nobody watches. */
const FRESH_MS = 10_000;

/** What is watched at the moment, in Redis: for the console, and for whoever watches next. */
export class SuggestionStore {
  private readonly key: string;

  constructor(
    private readonly redis: RedisClient,
    log: string,
  ) {
    this.key = suggestionsKey(log);
  }

  async write(entries: readonly BoardEntry[], nowMs: number): Promise<void> {
    const hottest = [...entries].sort((a, b) => b.utilization - a.utilization).slice(0, MAX_ENTRIES);
    const board: Board = { atMs: nowMs, entries: hottest };
    await this.redis.set(this.key, JSON.stringify(board), "PX", KEPT_MS);
  }

  /** Null when nobody has watched in the last seconds. @throws when Redis does not answer */
  async read(nowMs = Date.now()): Promise<Board | null> {
    const text = await this.redis.get(this.key);
    const board = text === null ? null : (JSON.parse(text) as Board);
    return board && nowMs - board.atMs <= FRESH_MS ? board : null;
  }
}
