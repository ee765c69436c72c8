import pg from "pg";
import type { Pool } from "./postgres";

const EVERY_MS = 200;

/** Sessions that another one waits for, without their SQL, which may have personal data in it. */
const HOLDERS = `
  SELECT pid, application_name AS application, usename AS username, coalesce(state, 'unknown') AS state,
         coalesce(round(extract(epoch FROM clock_timestamp() - xact_start)), 0)::int AS seconds
  FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids($1)) ORDER BY xact_start LIMIT 5`;

type Holder = { pid: number; application: string; username: string | null; state: string; seconds: number };

/** Looks, on a connection of its own, whom a session waits for. */
export class LockHolders {
  private readonly client: pg.Client;
  private readonly ended: Promise<void>;
  private isStopping = false;
  private last: string[] = [];

  constructor(pool: Pool, pid: number) {
    const { connectionString } = pool.options;
    this.client = new pg.Client({ connectionString, application_name: "floodgate lock holders" });
    this.client.on("error", () => {});
    // Without it the wait is told without names.
    this.ended = this.watch(pid).catch(() => {});
  }

  /** Those that were seen last, in words; empty while there was no wait, or it could not be looked at. */
  get seen(): readonly string[] {
    return this.last;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.ended;
  }

  private async watch(pid: number): Promise<void> {
    try {
      await this.client.connect();
      while (!this.isStopping) {
        const { rows } = await this.client.query<Holder>(HOLDERS, [pid]);
        if (rows.length > 0) this.last = rows.map(nameOf);
        await new Promise(resolve => setTimeout(resolve, EVERY_MS));
      }
    } finally {
      await this.client.end().catch(() => {});
    }
  }
}

function nameOf({ pid, application, username, state, seconds }: Holder): string {
  const who = [application, username && `user ${username}`].filter(Boolean).join(", ");
  return `session ${pid} (${who}), ${state}, its transaction is ${seconds} s old`;
}
