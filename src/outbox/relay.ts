import type { Pool } from "../store/postgres";
import { claim, complete, type Failure, fail, releaseClaims } from "./claim";
import { type OutboxRow, readIntent } from "./outbox-row";

/** One outcome per key, by index; see filter/deliver. */
export type Deliver = (keys: string[]) => Promise<("added" | { error: string })[]>;

export type RelayOptions = {
  pool: Pool;
  /** Adds keys to every live version. It must learn the live versions when it is called, not before. */
  deliver: Deliver;
  /** This copy's name, unique among running relays. */
  relay: string;
  batchSize: number;
  leaseMs: number;
  /** A row that makes no sense is buried after so many tries. Outages never bury one. */
  maxDataErrors: number;
  onBatch?: (batch: BatchResult) => void;
};

export type BatchResult = { claimed: number; delivered: number; failed: number; dead: number };

const RETRY_BASE_MS = 250;
const RETRY_MAX_MS = 10_000;

/**
 * claim ─> deliver to the filter ─> mark as processed
 *
 * At least once: killed between two steps, the lease runs out and the row is delivered again; an
 * add twice is harmless. The order claim-then-read-live-versions closes the gap of a rebuild: a row
 * claimed after its version was stored reaches that version.
 * @throws when nothing of a batch could be delivered: the caller backs off
 */
export async function relayOnce(options: RelayOptions): Promise<BatchResult> {
  const { pool, relay, batchSize, leaseMs } = options;
  const rows = await claim(pool, { relay, limit: batchSize, leaseMs });
  const result: BatchResult = { claimed: rows.length, delivered: 0, failed: 0, dead: 0 };
  if (rows.length === 0) return result;
  try {
    return await handle(options, rows, result);
  } catch (error) {
    // Not for the lease to run out: the next try may be a moment away.
    await releaseClaims(pool, relay).catch(() => {});
    throw error;
  }
}

async function handle(options: RelayOptions, rows: OutboxRow[], result: BatchResult): Promise<BatchResult> {
  const { pool, deliver } = options;
  const done: string[] = [];
  const failures: Failure[] = [];
  const toAdd: { row: OutboxRow; key: string }[] = [];
  for (const row of rows) {
    const intent = readIntent(row);
    if ("add" in intent) toAdd.push({ row, key: intent.add });
    else if ("nothing" in intent) done.push(row.seq);
    else failures.push(dataFailure(row, intent.dataError, options.maxDataErrors));
  }

  const outcomes = toAdd.length > 0 ? await deliver(toAdd.map(one => one.key)) : [];
  let outage: string | undefined;
  toAdd.forEach(({ row }, index) => {
    const outcome = outcomes[index] ?? { error: "no outcome" };
    if (outcome === "added") done.push(row.seq);
    else {
      outage = outcome.error;
      failures.push(outageFailure(row, outcome.error));
    }
  });

  result.delivered = await complete(pool, done);
  await fail(pool, failures);
  result.failed = failures.length;
  result.dead = failures.filter(failure => failure.isDead).length;
  options.onBatch?.(result);
  if (outage && done.length === 0)
    throw new Error(`no event of ${rows.length} could be delivered: ${outage}`);
  return result;
}

function dataFailure(row: OutboxRow, error: string, maxDataErrors: number): Failure {
  const isDead = row.dataErrors + 1 >= maxDataErrors;
  return { seq: row.seq, error, retryInMs: RETRY_BASE_MS, isDataError: true, isDead };
}

function outageFailure(row: OutboxRow, error: string): Failure {
  const retryInMs = Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** Math.min(row.attempts, 10));
  return { seq: row.seq, error, retryInMs, isDataError: false, isDead: false };
}
