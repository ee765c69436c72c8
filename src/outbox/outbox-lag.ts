import type { Pool } from "../store/postgres";
import { AGE, DELIVERABLE, PENDING } from "./pending-events";

const MAX_REFRESH_MS = 500;

/**
 * The age of the oldest pending event, as Postgres said last, plus the time since then. A name whose event is
 * pending is not in the filter, so the filter's "absent" is a proof only while this age is within a bound. Events
 * whose shard is full or missing do not count: that shard's answers prove nothing, and it says so itself.
 */
export class OutboxLag {
  /** By this process's monotonic clock: when the oldest pending event was written, at the earliest. */
  private oldestAtMs: number | null = null;

  constructor(
    private readonly pool: Pool,
    private readonly maxLagMs: number,
  ) {}

  /** Between two readings the age grows: most of the bound is left for the events themselves. */
  get refreshEveryMs(): number {
    return Math.min(MAX_REFRESH_MS, this.maxLagMs / 4);
  }

  /** Milliseconds, an upper bound; null: it was never read. */
  get ms(): number | null {
    return this.oldestAtMs === null ? null : performance.now() - this.oldestAtMs;
  }

  /** While Postgres does not answer, the age grows past the bound. */
  get isWithinBound(): boolean {
    const { ms } = this;
    return ms !== null && ms <= this.maxLagMs;
  }

  /** @throws when Postgres does not answer; the last reading stays, and grows older */
  async refresh(): Promise<void> {
    const startMs = performance.now();
    const { rows } = await this.pool.query<{ ageMs: number }>({
      name: "outbox-lag",
      // By seq: the first entry of the index of pending events.
      text: `SELECT (${AGE} * 1000)::float8 AS "ageMs" FROM outbox WHERE ${PENDING} AND ${DELIVERABLE}
             ORDER BY seq LIMIT 1`,
    });
    this.oldestAtMs = startMs - (rows[0]?.ageMs ?? 0);
  }
}
