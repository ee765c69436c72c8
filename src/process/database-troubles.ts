import { databaseProblem, sqlStateOf } from "../store/database-error";

type Trouble = { count: number; sqlState: string | null; atMs: number };

/** A request says nothing when the next one succeeds: its trouble is told for so long. */
const TOLD_MS = 10_000;
const REQUESTS = "requests";

/** What the database refused this process of late, besides what a probe can see, such as one table's lock. */
export class DatabaseTroubles {
  private readonly byWork = new Map<string, Trouble>();

  /** Only errors of the database count. @param work in the words of the log, such as "housekeeping failed" */
  failed(work: string, error: unknown): void {
    if (databaseProblem(error) === null) return;
    const count = (this.byWork.get(work)?.count ?? 0) + 1;
    this.byWork.set(work, { count, sqlState: sqlStateOf(error), atMs: performance.now() });
  }

  /** A request was answered with BUSY. */
  requestFailed(error: unknown): void {
    this.forgetOldRequests();
    this.failed(REQUESTS, error);
  }

  succeeded(work: string): void {
    this.byWork.delete(work);
  }

  /** In words; empty when the last try of everything went well. */
  get problems(): string[] {
    this.forgetOldRequests();
    return [...this.byWork].map(([work, { count, sqlState }]) => {
      const reason = sqlState === null ? "it does not answer" : `SQLSTATE ${sqlState}`;
      if (work === REQUESTS) return `The database could not serve ${count} requests of late (${reason}).`;
      return `The database refuses: ${work}, ${count} times in a row (${reason}).`;
    });
  }

  private forgetOldRequests(): void {
    const last = this.byWork.get(REQUESTS);
    if (last && performance.now() - last.atMs > TOLD_MS) this.byWork.delete(REQUESTS);
  }
}
