import { sideStreamKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";

/** Why an order or a record did not go on to the engine. */
export const SIDE_REASONS = ["late", "malformed", "unknown_symbol", "time_ahead", "gap"] as const;
export type SideReason = (typeof SIDE_REASONS)[number];

/** `id` tells a repeat after a crash: the place in the log that the event came from. */
export type SideEvent = { id: string; reason: SideReason; event: Record<string, string | number> };

/** What the console shows of orders that were set aside. */
export interface SideStream {
  /** Resolves to how many were new. */
  add(events: readonly SideEvent[]): Promise<number>;
}

const KEPT = 100_000;
const BATCH = 500;

export class RedisSideStream implements SideStream {
  constructor(
    private readonly redis: RedisClient,
    private readonly log: string,
  ) {}

  async add(events: readonly SideEvent[]): Promise<number> {
    const key = sideStreamKey(this.log);
    let added = 0;
    for (let from = 0; from < events.length; from += BATCH) {
      const args = events
        .slice(from, from + BATCH)
        .flatMap(({ id, reason, event }) => [id, reason, JSON.stringify(event)]);
      added += Number(await this.redis.sideAdd(key, `${key}:ids`, KEPT, Date.now(), ...args));
    }
    return added;
  }
}
