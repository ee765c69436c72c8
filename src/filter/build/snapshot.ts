import { Socket } from "node:net";
import pg from "pg";
import { lendingSocket } from "./lending-socket";

export type SnapshotOptions = {
  databaseUrl: string;
  /** Longest life of the transaction, which keeps dead rows of the whole database alive, milliseconds. */
  timeLimitMs: number;
};

/** The users as they were at one moment. */
export type Snapshot = {
  /** The name by which other sessions can import the snapshot while it is open. */
  id: string;
  /** Every transaction below it had ended: its rows are in the snapshot. Text of an xid8. */
  xmin: string;
  /** Pages of the users table; rows beyond them may exist, too. */
  blocks: number;
  /** Rows by the planner's estimate; 0 for a table that was never analysed. */
  estimatedRows: number;
};

const CONNECT_TIMEOUT_MS = 10_000;
/** The longest that one answer may take; a range of the COPY is read within a second or two. */
export const STATEMENT_TIMEOUT_MS = 120_000;

/** A connection of its own for a snapshot's transaction. */
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
  // A lost connection rejects the query at hand; without a listener it would also end the process.
  client.on("error", () => {});
  return client;
}

/** pg calls it with the connection's settings, which its types leave out. TLS reads its socket in its own way. */
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

/** Cuts a connection, whatever it is doing; the server notices at once and ends the session. */
export function cut(client: pg.Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** Pages [from, to) of the users table; without `to`, all that come after. */
export type BlockRange = { from: number; to?: number };

const FEWEST_BLOCKS = 128;
/** 32 MiB: a fraction of a second, after which there may be a pause or another phase. */
const MOST_BLOCKS = 4_096;

/** Cuts the table into ranges so that `readers` end at about the same time. Together they hold every row. */
export function blockRanges(blocks: number, readers: number): BlockRange[] {
  const size = Math.min(MOST_BLOCKS, Math.max(FEWEST_BLOCKS, Math.ceil(blocks / (readers * 4))));
  const ranges: BlockRange[] = [];
  for (let from = 0; from === 0 || from < blocks; from += size) ranges.push({ from, to: from + size });
  // The table may be larger than it was measured: the last range has no end.
  ranges[ranges.length - 1] = { from: ranges.at(-1)!.from };
  return ranges;
}

/** The binary format has no escapes: a key is in it byte for byte. */
export function copyRange({ from, to }: BlockRange): string {
  const end = to === undefined ? "" : ` AND ctid < '(${to},0)'`;
  return `COPY (SELECT username_key FROM users WHERE ctid >= '(${from},0)'${end}) TO STDOUT (FORMAT binary)`;
}
