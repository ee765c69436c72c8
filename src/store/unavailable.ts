/** Node's and Postgres' codes for "not reachable" and "no room", and Prisma's for the same. */
const CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENOTFOUND",
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "08000",
  "08003",
  "08006",
  "P1001",
  "P1002",
  "P1008",
  "P1017",
  "P2024",
  "P2028",
]);

/** pg and its pool have no codes for these. */
const MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|ended the connection/;

/** Whether the database could not be reached in time, in contrast to refusing what it was asked. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, meta } = error as Error & { code?: unknown; meta?: { driverAdapterError?: unknown } };
  if (typeof code === "string" && CODES.has(code)) return true;
  return (
    MESSAGES.test(error.message) ||
    isDatabaseUnavailable(error.cause) ||
    isDatabaseUnavailable(meta?.driverAdapterError)
  );
}
