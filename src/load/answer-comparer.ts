import { createPool, type Pool } from "../store/postgres";

/** How many answers were compared with the database, how many it contradicts, and the first of those. */
export type Comparison = { compared: number; wrong: number; examples: string[] };

type Answer = { username: string; status: string; askedAtMs: number };

const INTERVAL_MS = 1_000;
const MAX_EXAMPLES = 5;
/** Bounds the memory during an outage of the database: newer answers are not compared. */
const MAX_WAITING = 200_000;

/**
 * Compares every answer with the database. An answer is wrong when it is
 *   available  and the name's event had been delivered before the request
 *   taken      and no user has the name
 * A name with a pending event may be answered as available: the sign-up itself would refuse it.
 */
export class AnswerComparer {
  private waiting: Answer[] = [];
  private readonly result: Comparison = { compared: 0, wrong: 0, examples: [] };
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();

  private constructor(
    private readonly pool: Pool,
    /** The clock of the database minus the clock of this machine. */
    private readonly offsetMs: number,
  ) {
    this.timer = setInterval(() => this.next(), INTERVAL_MS);
  }

  static async start(databaseUrl: string): Promise<AnswerComparer> {
    const pool = createPool(
      {
        url: databaseUrl,
        applicationName: "floodgate load",
        maxConnections: 1,
        connectTimeoutMs: 5_000,
        statementTimeoutMs: 10_000,
      },
      () => {},
    );
    const { rows } = await pool.query<{ now: number }>(
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now",
    );
    return new AnswerComparer(pool, rows[0]!.now - Date.now());
  }

  add(answer: Answer): void {
    if (answer.status !== "available" && answer.status !== "taken") return;
    if (this.waiting.length < MAX_WAITING) this.waiting.push(answer);
  }

  /** Compares the queued answers. @throws when the database does not answer */
  async end(): Promise<Comparison> {
    clearInterval(this.timer);
    await this.running;
    await this.compare(this.waiting.splice(0));
    await this.pool.end();
    return this.result;
  }

  private next(): void {
    const answers = this.waiting.splice(0);
    this.running = this.running
      .then(() => this.compare(answers))
      // Compared again in the next second: the database may only be restarting.
      .catch(() => {
        this.waiting = [...answers, ...this.waiting].slice(0, MAX_WAITING);
      });
  }

  private async compare(answers: Answer[]): Promise<void> {
    if (answers.length === 0) return;
    const { rows } = await this.pool.query<{ key: string; deliveredMs: number | null }>(
      `SELECT u.username_key AS key,
         (SELECT (extract(epoch FROM min(coalesce(o.processed_at, 'infinity'))) * 1000)::float8
          FROM outbox o WHERE o.aggregateid = u.id::text) AS "deliveredMs"
       FROM users u WHERE u.username_key = ANY($1)`,
      [[...new Set(answers.map(answer => answer.username))]],
    );
    // Without an event: it was delivered and purged long ago.
    const delivered = new Map(rows.map(row => [row.key, row.deliveredMs ?? Number.NEGATIVE_INFINITY]));
    for (const { username, status, askedAtMs } of answers) {
      const deliveredMs = delivered.get(username);
      const isWrong =
        status === "taken"
          ? deliveredMs === undefined
          : (deliveredMs ?? Infinity) < askedAtMs + this.offsetMs;
      this.result.compared += 1;
      if (!isWrong) continue;
      this.result.wrong += 1;
      if (this.result.examples.length < MAX_EXAMPLES) this.result.examples.push(`${username}: ${status}`);
    }
  }
}
