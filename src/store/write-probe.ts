import { valueInTime } from "../runtime/health";
import { sqlStateOf } from "./database-error";
import type { Pool } from "./postgres";

/** A lock on a row is a write, which reaches the disk before the answer, and holds no other writer up. */
export const WRITE_PROBE = "SELECT id FROM write_probe FOR KEY SHARE";

/** The probe of a load balancer waits about a second. */
const PROBE_MS = 800;
const probes = new WeakMap<Pool, Promise<string | null>>();

/**
 * Null when the database has just taken a write, or what is wrong with it, in words. Concurrent callers share one
 * probe: health needs no permission, and connections are few.
 */
export function probeWrite(pool: Pool): Promise<string | null> {
  const running = probes.get(pool);
  if (running) return running;
  const query = pool.query(WRITE_PROBE).then(() => null, explain);
  const probe = valueInTime(
    query.then(problem => ({ problem })),
    PROBE_MS,
  ).then(answer => (answer === null ? NO_ANSWER : answer.problem));
  probes.set(pool, probe);
  // Kept until the query itself ends, so that a hanging database costs one connection at most.
  void query.then(() => probes.delete(pool));
  return probe;
}

const NO_ANSWER = "The database does not answer";

function explain(error: unknown): string {
  const sqlState = sqlStateOf(error);
  // Starting and stopping servers refuse connections, each with a code of its own.
  if (sqlState === null || sqlState.startsWith("57P") || sqlState.startsWith("08")) return NO_ANSWER;
  if (sqlState === "25006") return "The database is read-only";
  if (sqlState === "53300") return "The database has no connection left";
  if (sqlState === "53100") return "The database's disk is full";
  return `The database takes no writes (SQLSTATE ${sqlState})`;
}
