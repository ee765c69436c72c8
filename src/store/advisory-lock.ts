import type { Pool, PoolClient } from "./postgres";
import { WRITE_PROBE } from "./write-probe";

/** One holding of the lock, for the work that is done under it. */
export type Holding = {
  /** Aborts when the lock is lost, with a delay: the loss must have been noticed. */
  lost: AbortSignal;
  /** Asks the server, right before and after work that needs the lock. @throws when the lock is lost */
  confirm(): Promise<void>;
};

/** The server ends a session that was silent for so long, and releases its lock. */
const LEASE_MS = 15_000;
const ASK_EVERY_MS = 3_000;
/** With the pause well below the lease: the holder notices the loss before another one can get the lock. */
const ANSWER_MS = 5_000;
/**
 * A write: a primary that was demoted keeps its sessions and their locks, while the new one gives the lock to another.
 * The timeout is pg's own option, which its types leave out for a single query.
 */
const ASK = { text: WRITE_PROBE, query_timeout: ANSWER_MS };

/**
 * A session-level advisory lock: held until released, or until its connection ends. It is a lease: a holder
 * that crashed or hangs loses it within 15 seconds.
 */
export class AdvisoryLock {
  private held: { client: PoolClient; losing: AbortController; asking: NodeJS.Timeout } | null = null;

  /** @param name hashed by Postgres into the lock's number */
  constructor(
    private readonly pool: Pool,
    private readonly name: string,
  ) {}

  /** True if this process holds the lock now. */
  async acquire(): Promise<boolean> {
    // It is asked for regularly; `confirm` asks at once.
    if (this.held) return true;
    const client = await this.pool.connect();
    let held = false;
    try {
      const { rows } = await client.query<{ held: boolean }>(
        "SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held",
        [this.name],
      );
      held = rows[0]?.held === true;
      if (held) await client.query(`SET idle_session_timeout = ${LEASE_MS}`);
    } catch (error) {
      client.release(true);
      throw error;
    }
    if (!held) {
      client.release();
      return false;
    }
    const asking = setInterval(() => this.ask(client).catch(() => {}), ASK_EVERY_MS);
    this.held = { client, losing: new AbortController(), asking };
    client.on("error", () => this.give(client));
    return true;
  }

  /** What this process holds at the moment; of a lock that it does not hold, one that is lost already. */
  holding(): Holding {
    const { held } = this;
    if (!held) return { lost: AbortSignal.abort(this.lost()), confirm: () => Promise.reject(this.lost()) };
    const lost = held.losing.signal;
    return {
      lost,
      confirm: async () => {
        lost.throwIfAborted();
        await this.ask(held.client);
      },
    };
  }

  /** Ends the connection, and the lock with it. */
  release(): void {
    if (this.held) this.give(this.held.client);
  }

  private async ask(client: PoolClient): Promise<void> {
    await client.query(ASK).catch(error => {
      this.give(client);
      throw error;
    });
  }

  private give(client: PoolClient): void {
    if (this.held?.client !== client) return;
    const { losing, asking } = this.held;
    this.held = null;
    clearInterval(asking);
    client.release(true);
    losing.abort(this.lost());
  }

  private lost(): Error {
    return new Error(`the lock "${this.name}" is not held any more`);
  }
}
