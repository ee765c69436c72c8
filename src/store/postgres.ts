import type { EventEmitter } from "node:events";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { endsConnection, sqlStateOf } from "./database-error";
import { type Prisma, PrismaClient } from "./generated/client";
import { SessionClient } from "./session-client";

export { Prisma, type PrismaClient } from "./generated/client";
/** Prisma inside of one transaction. */
export type Tx = Prisma.TransactionClient;
export type Pool = pg.Pool;
export type PoolClient = pg.PoolClient;

export type PostgresOptions = {
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  maxConnections: number;
  /** Longest wait for a free connection, milliseconds. */
  connectTimeoutMs: number;
  /** Longest statement, enforced by the server (but behind a pooler) and once more by the client, milliseconds. */
  statementTimeoutMs: number;
  /** Commit without waiting for the disk: only where losing the last moments is harmless. */
  relaxedCommit?: boolean;
};

const IDLE_IN_TRANSACTION_MS = 30_000;

/** One pool per process, shared by Prisma and by the queries in SQL. */
export function createPool(options: PostgresOptions, onError: (error: Error) => void): Pool {
  const settings = {
    statementTimeoutMs: options.statementTimeoutMs,
    idleInTransactionTimeoutMs: IDLE_IN_TRANSACTION_MS,
    relaxedCommit: options.relaxedCommit ?? false,
  };
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: options.connectTimeoutMs,
    query_timeout: options.statementTimeoutMs + 500,
    keepAlive: true,
    Client: SessionClient,
    // Nobody gets the connection before this has resolved.
    onConnect: client => (client as SessionClient).setUp(settings),
  });
  // The pool replaces a broken idle connection; without a listener the error would end the process.
  pool.on("error", onError);
  // While a connection is checked out the pool does not listen, and pg reports a loss twice.
  pool.on("connect", client => client.on("error", () => {}));
  closeStale(pool);
  return pool;
}

/**
 * Closes a connection whose server stops or takes no writes any more, once it is given back: after a failover an
 * open socket may lead to the old primary for hours.
 */
function closeStale(pool: Pool): void {
  const stale = new WeakSet<PoolClient>();
  pool.on("connect", client => {
    // Each error of the server, also those that Prisma or a caller turns into something else.
    const { connection } = client as PoolClient & { connection: EventEmitter };
    connection.on("errorMessage", (error: unknown) => {
      if (endsConnection(sqlStateOf(error) ?? "")) stale.add(client);
    });
  });
  // The pool asks after this event whether the connection can be used again.
  pool.on("release", (_error, client) => {
    if (stale.has(client)) void (client as PoolClient & Pick<pg.Client, "end">).end();
  });
}

/** Prisma on the process's pool. Disconnecting it leaves the pool open: the owner of the pool ends it. */
export function createPrisma(pool: Pool): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(pool), errorFormat: "minimal" });
}

/** Runs `work` in one transaction on one connection; rolls back when it throws. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
