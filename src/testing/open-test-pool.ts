import { onTestFinished } from "vitest";
import { createPool, type Pool } from "../store/postgres";

/** A separate process from the view of Postgres; ended with the test. */
export function openTestPool(
  url: string,
  { applicationName, maxConnections }: { applicationName: string; maxConnections: number },
): Pool {
  const pool = createPool(
    { url, applicationName, maxConnections, connectTimeoutMs: 1_000, statementTimeoutMs: 5_000 },
    () => {},
  );
  onTestFinished(async () => void (await Promise.race([pool.end(), AbortSignal.timeout(1_000)])));
  return pool;
}
