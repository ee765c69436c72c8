import { createPool, type Pool } from "../store/postgres";

/** Answers that were compared with the database, and those it contradicts. */
export type Judgement = { judged: number; wrong: number; some: string[] };

type Answer = { username: string; status: string; askedAtMs: number };

const EVERY_MS = 1_000;
const MAX_NAMED = 5;
/** A database that is away for long is no reason to run out of memory: the newest answers go unjudged. */
const MAX_WAITING = 200_000;

/**
 * Compares every answer with the database. Wrong is
 *   available  although the name's event had been delivered before it was asked for
 *   taken      although nobody has the name
 * A name whose event is still on its way may be called available: the signup itself would tell.
 */
export class Judge {
  private waiting: Answer[] = [];
  private readonly result: Judgement = { judged: 0, wrong: 0, some: [] };
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();

  private constructor(
    private readonly pool: Pool,
    /** What has to be added to this machine's clock. */
    private readonly offsetMs: number,
  ) {
    this.timer = setInterval(() => this.next(), EVERY_MS);
  }

  static async start(databaseUrl: string): Promise<Judge> {
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
    return new Judge(pool, rows[0]!.now - Date.now());
  }

  add(answer: Answer): void {
    if (answer.status !== "available" && answer.status !== "taken") return;
    if (this.waiting.length < MAX_WAITING) this.waiting.push(answer);
  }

  /** Judges what is left. @throws when the database does not answer */
  async end(): Promise<Judgement> {
    clearInterval(this.timer);
    await this.running;
    await this.judge(this.waiting.splice(0));
    await this.pool.end();
    return this.result;
  }

  private next(): void {
    const answers = this.waiting.splice(0);
    this.running = this.running
      .then(() => this.judge(answers))
      // Kept for the next second: the database may only be restarting.
      .catch(() => {
        this.waiting = [...answers, ...this.waiting].slice(0, MAX_WAITING);
      });
  }

  private async judge(answers: Answer[]): Promise<void> {
    if (answers.length === 0) return;
    const { rows } = await this.pool.query<{ key: string; deliveredMs: number | null }>(
      `SELECT u.username_key AS key,
         (SELECT (extract(epoch FROM min(coalesce(o.processed_at, 'infinity'))) * 1000)::float8
          FROM outbox o WHERE o.aggregateid = u.id::text) AS "deliveredMs"
       FROM users u WHERE u.username_key = ANY($1)`,
      [[...new Set(answers.map(answer => answer.username))]],
    );
    // No event at all: it was delivered and purged long ago.
    const delivered = new Map(rows.map(row => [row.key, row.deliveredMs ?? Number.NEGATIVE_INFINITY]));
    for (const { username, status, askedAtMs } of answers) {
      const deliveredMs = delivered.get(username);
      const isWrong =
        status === "taken"
          ? deliveredMs === undefined
          : (deliveredMs ?? Infinity) < askedAtMs + this.offsetMs;
      this.result.judged += 1;
      if (!isWrong) continue;
      this.result.wrong += 1;
      if (this.result.some.length < MAX_NAMED) this.result.some.push(`${username}: ${status}`);
    }
  }
}
