import { Socket } from "node:net";
import pg from "pg";
import { lendingSocket } from "./lending-socket";

export type SnapshotOptions = {
  databaseUrl: string;
  /** Time limit of the transaction, milliseconds: while it is open, vacuum can't remove dead rows. */
  timeLimitMs: number;
};

/** The users table at one moment. */
export type Snapshot = {
  /** The name by which other sessions can import the snapshot while it is open. */
  id: string;
  /** Every transaction below it had ended, so its rows are in the snapshot. Text of an xid8. */
  xmin: string;
  /** Pages of the users table; rows after them may exist. */
  blocks: number;
  /** The planner's estimate of the rows; 0 for a table that was never analyzed. */
  estimatedRows: number;
};

const CONNECT_TIMEOUT_MS = 10_000;
/** Limit of one statement; a range of the COPY takes a second or two. */
export const STATEMENT_TIMEOUT_MS = 120_000;

/** A connection for a snapshot's transaction. */
export function snapshotClient({ databaseUrl, timeLimitMs }: SnapshotOptions): pg.Client {
  const client = new pg.Client({
    connectionString: databaseUrl,
    stream: openSocket as () => Socket,
    application_name: "floodgate rebuild",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: timeLimitMs,
    keepAlive: true,
    client_encoding: "UTF8",
  });
  // A lost connection rejects the running query; without a listener it would also end the process.
  client.on("error", () => {});
  return client;
}

/** pg calls it with the connection's settings, which its types omit. TLS needs a plain socket. */
function openSocket(settings?: { ssl?: unknown }): Socket {
  return settings?.ssl ? new Socket() : lendingSocket();
}

const BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** Opens the transaction that keeps the snapshot, on a connected client. */
export async function exportSnapshot(client: pg.Client): Promise<Snapshot> {
  await client.query(BEGIN);
  const { rows } = await client.query<Snapshot>(
    `SELECT pg_export_snapshot() AS id, pg_snapshot_xmin(pg_current_snapshot())::text AS xmin,
            (pg_relation_size(oid) / current_setting('block_size')::int)::int AS blocks,
            greatest(reltuples, 0)::float8 AS "estimatedRows"
     FROM pg_class WHERE oid = 'users'::regclass`,
  );
  return rows[0]!;
}

export async function importSnapshot(client: pg.Client, id: string): Promise<void> {
  await client.query(BEGIN);
  await client.query(`SET TRANSACTION SNAPSHOT ${pg.escapeLiteral(id)}`);
}

/** Closes a connection at once, also during a query; the server then ends the session. */
export function closeSocket(client: pg.Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** Pages [from, to) of the users table; without `to`, all pages from `from` on. */
export type BlockRange = { from: number; to?: number };

const MIN_BLOCKS = 128;
/** 32 MiB: a fraction of a second, so that a pause or an abort takes effect soon. */
const MAX_BLOCKS = 4_096;

/** Divides the table into ranges so that `readers` end at about the same time. No row is left out. */
export function blockRanges(blocks: number, readers: number): BlockRange[] {
  const size = Math.min(MAX_BLOCKS, Math.max(MIN_BLOCKS, Math.ceil(blocks / (readers * 4))));
  const ranges: BlockRange[] = [];
  for (let from = 0; from === 0 || from < blocks; from += size) ranges.push({ from, to: from + size });
  // The table may have grown since it was measured: the last range has no end.
  ranges[ranges.length - 1] = { from: ranges.at(-1)!.from };
  return ranges;
}

/**
 * The items of a range: each key, then each skeleton that is not its key. The second scan finds the pages in memory. The
 * binary format has no escapes: it contains an item byte for byte.
 */
export function copyRange({ from, to }: BlockRange): string {
  const range = `ctid >= '(${from},0)'${to === undefined ? "" : ` AND ctid < '(${to},0)'`}`;
  return `COPY (SELECT username_key FROM users WHERE ${range} UNION ALL
    SELECT username_skeleton FROM users WHERE ${range} AND username_skeleton <> username_key
  ) TO STDOUT (FORMAT binary)`;
}
