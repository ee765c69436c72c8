import pg from "pg";

export type SessionSettings = {
  statementTimeoutMs: number;
  idleInTransactionTimeoutMs: number;
  /** Commit without waiting for the disk. */
  relaxedCommit: boolean;
};

type WithBackend = { processID: number | null };

/**
 * A connection that works directly and behind a pooler such as PgBouncer in transaction mode, which lends a session
 * per transaction. It sends no start-up parameters that a pooler refuses. Behind one, statements have no names, and
 * the session's timeouts are those of the role: a setting would stay with a session that the next client gets.
 */
export class SessionClient extends pg.Client {
  /** False until it is known. */
  private isDirect = false;

  override query = ((...args: unknown[]) => {
    const [first, ...rest] = args;
    const send = super.query as (...args: unknown[]) => unknown;
    if (this.isDirect || !isNamed(first)) return send.apply(this, args);
    const { name: _, ...unnamed } = first;
    return send.call(this, unnamed, ...rest);
  }) as pg.Client["query"];

  /**
   * Sets up the session, before the first statement of whoever takes the connection. The backend's number tells a
   * pooler: it makes one up for its clients. Poolers follow the time zone, because the server reports it.
   */
  async setUp({
    statementTimeoutMs,
    idleInTransactionTimeoutMs,
    relaxedCommit,
  }: SessionSettings): Promise<void> {
    const settings = [
      ["statement_timeout", statementTimeoutMs],
      ["idle_in_transaction_session_timeout", idleInTransactionTimeoutMs],
      ...(relaxedCommit ? [["synchronous_commit", "off"]] : []),
    ].map(([name, value]) => `set_config('${name}', '${value}', false)`);
    const { processID } = this as unknown as WithBackend;
    // One simple query with two statements: one round trip, and one session also behind a pooler.
    const results = (await this.query(
      `SET TIME ZONE 'UTC'; SELECT ${settings.join(", ")} WHERE pg_backend_pid() = ${Number(processID)}`,
    )) as unknown as pg.QueryResult[];
    this.isDirect = results[1]?.rowCount === 1;
  }
}

/** A statement that is to be prepared under a name; not a cursor or a COPY, which send themselves. */
function isNamed(query: unknown): query is { name: string; text: string } {
  const { name, submit } = (query ?? {}) as { name?: unknown; submit?: unknown };
  return typeof name === "string" && submit === undefined;
}
