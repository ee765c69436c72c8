import { sqlStateOf } from "../store/database-error";

type Trouble = { count: number; sqlState: string; atMs: number };

/** A request says nothing when the next one succeeds: its trouble is told for so long. */
const TOLD_MS = 10_000;
const REQUESTS = "requests";

/**
 * What Postgres refused this process lately, besides what a probe can see, such as one table's lock. Only errors with
 * a SQLSTATE count: a connection that fails may have led to Redis or Kinesis, and the probe tells of Postgres.
 */
export class DatabaseTroubles {
  private readonly byWork = new Map<string, Trouble>();

  /** @param work in the words of the log, such as "housekeeping failed" */
  failed(work: string, error: unknown): void {
    const sqlState = sqlStateOf(error);
    if (sqlState === null) return;
    const count = (this.byWork.get(work)?.count ?? 0) + 1;
    this.byWork.set(work, { count, sqlState, atMs: performance.now() });
  }

  /** A request was answered with BUSY. */
  requestFailed(error: unknown): void {
    this.forgetOldRequests();
    this.failed(REQUESTS, error);
  }

  succeeded(work: string): void {
    this.byWork.delete(work);
  }

  /** In words; empty when the last try of each loop went well, and the requests of the last seconds did. */
  get problems(): string[] {
    this.forgetOldRequests();
    return [...this.byWork].map(([work, { count, sqlState }]) =>
      work === REQUESTS
        ? `The database refused requests: ${count} in the last seconds (SQLSTATE ${sqlState}).`
        : `The database refuses: ${work}, ${count} times in a row (SQLSTATE ${sqlState}).`,
    );
  }

  private forgetOldRequests(): void {
    const last = this.byWork.get(REQUESTS);
    if (last && performance.now() - last.atMs > TOLD_MS) this.byWork.delete(REQUESTS);
  }
}
