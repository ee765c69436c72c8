import { bulkhead } from "cockatiel";

/** Too many are waiting. `retryAfterMs`: when those before the caller will have had their turn. */
export class TooManyWaiting extends Error {
  constructor(readonly retryAfterMs: number) {
    super(`too many are waiting; try again in ${retryAfterMs} ms`);
  }
}

type TimedSlotsOptions = {
  /** Pieces of work at the same time. */
  slots: number;
  /** Who would wait for longer is refused at once, milliseconds. */
  maxWaitMs: number;
};

/** Of both limits the wait is met first; this one bounds the memory while the first pieces are not measured. */
const MAX_WAITING = 1_000;
/** A piece's duration before one was measured, and the weight of the newest one in the average. */
const [FIRST_MS, NEWEST] = [100, 0.1];

/** Runs work in a number of slots. The queue is bounded by the time that waiting in it would take. */
export class TimedSlots {
  private readonly bulkhead;
  private averageMs = FIRST_MS;

  constructor(private readonly options: TimedSlotsOptions) {
    this.bulkhead = bulkhead(options.slots, MAX_WAITING);
  }

  get waiting(): number {
    return MAX_WAITING - this.bulkhead.queueSlots;
  }

  /** @throws TooManyWaiting, or what the work throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const waitMs = this.expectedWaitMs();
    if (waitMs > this.options.maxWaitMs || this.bulkhead.queueSlots === 0)
      throw new TooManyWaiting(Math.ceil(waitMs));
    return this.bulkhead.execute(async () => {
      const startMs = performance.now();
      try {
        return await work();
      } finally {
        this.averageMs += NEWEST * (performance.now() - startMs - this.averageMs);
      }
    });
  }

  private expectedWaitMs(): number {
    if (this.bulkhead.executionSlots > 0) return 0;
    return ((this.waiting + 1) / this.options.slots) * this.averageMs;
  }
}
