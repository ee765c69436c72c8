import { deadLettersKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";

/**
 * Why an order or a record did not reach the engine. `unclear`: late or a repeat, and the ordered stream
 * does not go back far enough to decide which.
 */
export const DEAD_LETTER_REASONS = [
  "late",
  "unclear",
  "malformed",
  "unknown_symbol",
  "time_ahead",
  "gap",
] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

/** `id`: the event's position in the log, which detects a repeat after a crash. */
export type DeadLetter = {
  id: string;
  reason: DeadLetterReason;
  event: Record<string, string | number>;
  /** The orders as a record of the log, for replay. */
  record?: Buffer;
};

/** What the console shows of a dead letter's orders. */
export interface DeadLetterStream {
  /** Resolves to how many were new. */
  add(events: readonly DeadLetter[]): Promise<number>;
}

const KEPT = 10_000;
const BATCH = 500;
/** A larger record is not kept; this is some 50 orders. The stream stays below 60 MB. */
const MAX_RECORD_BYTES = 4_096;

export class RedisDeadLetterStream implements DeadLetterStream {
  constructor(
    private readonly redis: RedisClient,
    private readonly log: string,
  ) {}

  async add(events: readonly DeadLetter[]): Promise<number> {
    const key = deadLettersKey(this.log);
    let added = 0;
    for (let from = 0; from < events.length; from += BATCH) {
      const args = events
        .slice(from, from + BATCH)
        .flatMap(({ id, reason, event, record }) => [id, reason, JSON.stringify(event), kept(record)]);
      added += Number(await this.redis.deadLetterAdd(key, `${key}:ids`, KEPT, Date.now(), ...args));
    }
    return added;
  }
}

function kept(record: Buffer | undefined): string {
  return record && record.length <= MAX_RECORD_BYTES ? record.toString("base64") : "";
}
