/**
 * What follows from an error of the database. `again`: the transaction was rolled back to let another one pass, and
 * succeeds when it is repeated at once. `busy`: the database can't do this now, and nothing was changed, or it is
 * unknown whether something was. `unique`: another row has the value. `other`: it refuses what it was asked.
 */
export type DatabaseProblem = "again" | "busy" | "unique" | "other";

/**
 * By SQLSTATE, or by its class, which is its first two characters; the longer prefix wins.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const BY_SQLSTATE: Record<string, DatabaseProblem> = {
  "08": "busy", // connection exception
  "53": "busy", // too many connections, disk full, out of memory
  "58": "busy", // I/O error
  "25006": "busy", // read-only: a standby, or a primary that was demoted
  "25P03": "busy", // idle in transaction for too long
  "25P04": "busy", // transaction timeout
  "40001": "again", // serialization failure
  "40P01": "again", // deadlock
  "40003": "busy", // unknown whether it was committed
  "55P03": "busy", // lock not available in time
  "57014": "busy", // cancelled, such as by the statement timeout
  "57P": "busy", // shutting down, starting up, session ended
  "23505": "unique",
};

/** Of Prisma and of Node, where Postgres was not reached at all. P2034 is Prisma's word for 40001 and 40P01. */
const BY_CODE: Record<string, DatabaseProblem> = {
  P1001: "busy",
  P1002: "busy",
  P1008: "busy",
  P1017: "busy",
  P2024: "busy",
  P2028: "busy",
  P2034: "again",
  P2002: "unique",
  ECONNREFUSED: "busy",
  ECONNRESET: "busy",
  EPIPE: "busy",
  ETIMEDOUT: "busy",
  EHOSTUNREACH: "busy",
  ENETUNREACH: "busy",
  ENOTFOUND: "busy",
  EAI_AGAIN: "busy",
};

/** Where pg, its pool and Prisma's adapter have no code. */
const BUSY_MESSAGE =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client was closed|ended the connection|^(?:SocketTimeout|ConnectionClosed|DatabaseNotReachable|TooManyConnections)$/;

/** By the classes that Postgres has: Prisma's P2002 and Node's EPIPE have five characters, too. */
const SQLSTATE = /^(?:\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/;
const isSqlState = (code: unknown): code is string => typeof code === "string" && SQLSTATE.test(code);

/** The error, and what it carries: causes, and the adapter's error in Prisma's, which may be plain objects. */
function* layersOf(error: unknown): Generator<Record<string, unknown>> {
  const seen = new Set<unknown>();
  const waiting: unknown[] = [error];
  while (waiting.length > 0 && seen.size < 16) {
    const layer = waiting.shift();
    if (typeof layer !== "object" || layer === null || seen.has(layer)) continue;
    seen.add(layer);
    const fields = layer as Record<string, unknown>;
    yield fields;
    const meta = fields.meta as { driverAdapterError?: unknown } | undefined;
    waiting.push(fields.cause, meta?.driverAdapterError);
  }
}

/** The SQLSTATE of an error of pg, or of Prisma over its driver adapter; null where there is none. */
export function sqlStateOf(error: unknown): string | null {
  for (const { originalCode, code } of layersOf(error)) {
    if (isSqlState(originalCode)) return originalCode;
    if (isSqlState(code)) return code;
  }
  return null;
}

/** What to do about an error that pg or Prisma threw; null when it is none of theirs. */
export function databaseProblem(error: unknown): DatabaseProblem | null {
  const sqlState = sqlStateOf(error);
  if (sqlState !== null) {
    const prefix = [5, 3, 2].map(length => sqlState.slice(0, length)).find(text => text in BY_SQLSTATE);
    return prefix === undefined ? "other" : BY_SQLSTATE[prefix]!;
  }
  let isPrisma = false;
  for (const { code, name, kind, message } of layersOf(error)) {
    if (typeof code === "string" && code in BY_CODE) return BY_CODE[code]!;
    if ([message, kind].some(text => typeof text === "string" && BUSY_MESSAGE.test(text))) return "busy";
    isPrisma ||= typeof name === "string" && name.startsWith("PrismaClient");
  }
  return isPrisma ? "other" : null;
}

/** True where the same request may succeed a moment later: the database was not there, or had no room for it. */
export function isPassing(error: unknown): boolean {
  const problem = databaseProblem(error);
  return problem === "busy" || problem === "again";
}

/** The connection ended, or gave no answer: a change may have been committed before. */
const UNKNOWN_SQLSTATE = /^(?:08(?!001|004)|57P(?!03)|40003)/;
const UNKNOWN_CODES = new Set(["P1008", "P1017", "ECONNRESET", "EPIPE", "ETIMEDOUT"]);
const UNKNOWN_MESSAGE =
  /Connection terminated|Query read timeout|ended the connection|^(?:SocketTimeout|ConnectionClosed)$/;

/** True where it can't be told from the error whether a change was made. */
export function isOutcomeUnknown(error: unknown): boolean {
  const sqlState = sqlStateOf(error);
  if (sqlState !== null) return UNKNOWN_SQLSTATE.test(sqlState);
  for (const { code, kind, message } of layersOf(error)) {
    if (typeof code === "string" && UNKNOWN_CODES.has(code)) return true;
    if ([message, kind].some(text => typeof text === "string" && UNKNOWN_MESSAGE.test(text))) return true;
  }
  return false;
}

/** After these the server is of no more use to the connection: it stops, or it takes no writes any more. */
export function endsConnection(sqlState: string): boolean {
  return sqlState === "25006" || sqlState.startsWith("57P");
}

const TRIES = 3;
const PAUSE_MS = 20;

/** Runs the work again, at most twice, when its transaction had to give way to another one. */
export async function retryRollbacks<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES || databaseProblem(error) !== "again") throw error;
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS * tries * (1 + Math.random())));
    }
  }
}
