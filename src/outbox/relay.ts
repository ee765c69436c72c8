import type { Pool } from "../store/postgres";
import { claim, complete, type Failure, fail, releaseClaims } from "./claim";
import { type OutboxRow, readIntent } from "./outbox-row";

/** One outcome per item, a key or a skeleton, by index; see filter/deliver. */
export type Deliver = (items: string[]) => Promise<("added" | { error: string })[]>;

export type RelayOptions = {
  pool: Pool;
  /** Adds keys to every live version. It must read the live versions on each call. */
  deliver: Deliver;
  /** Unique name of this relay. */
  relay: string;
  batchSize: number;
  leaseMs: number;
  /** After so many data errors a row becomes a dead letter. Outages do not count. */
  maxDataErrors: number;
  onBatch?: (batch: BatchResult) => void;
};

export type BatchResult = { claimed: number; delivered: number; failed: number; dead: number };

const RETRY_BASE_MS = 250;
const RETRY_MAX_MS = 10_000;

/**
 * claim ─> deliver to the filter ─> mark as processed
 *
 * Delivery is at least once: after a crash the lease ends and the row is delivered again; a repeated add
 * has no effect. A row that is claimed after a version was stored reaches that version, because the live
 * versions are read after the claim (ADR 3).
 * @throws when no row of a batch could be delivered: the caller backs off
 */
export async function relayOnce(options: RelayOptions): Promise<BatchResult> {
  const { pool, relay, batchSize, leaseMs } = options;
  const rows = await claim(pool, { relay, limit: batchSize, leaseMs });
  const result: BatchResult = { claimed: rows.length, delivered: 0, failed: 0, dead: 0 };
  if (rows.length === 0) return result;
  try {
    return await deliverBatch(options, rows, result);
  } catch (error) {
    // The retry may come before the lease ends.
    await releaseClaims(pool, relay).catch(() => {});
    throw error;
  }
}

async function deliverBatch(
  options: RelayOptions,
  rows: OutboxRow[],
  result: BatchResult,
): Promise<BatchResult> {
  const { pool, deliver } = options;
  const done: string[] = [];
  const failures: Failure[] = [];
  const toAdd: { row: OutboxRow; items: string[] }[] = [];
  for (const row of rows) {
    const intent = readIntent(row);
    if ("add" in intent) toAdd.push({ row, items: intent.add });
    else if ("nothing" in intent) done.push(row.seq);
    else failures.push(dataFailure(row, intent.dataError, options.maxDataErrors));
  }

  const items = toAdd.flatMap(one => one.items);
  const outcomes = items.length > 0 ? (await deliver(items)).values() : [].values();
  let outage: string | undefined;
  for (const { row, items } of toAdd) {
    const errors = items
      .map(() => outcomes.next().value ?? { error: "no outcome" })
      .flatMap(outcome => (outcome === "added" ? [] : [outcome.error]));
    if (errors.length === 0) done.push(row.seq);
    else {
      outage = errors[0]!;
      failures.push(outageFailure(row, outage));
    }
  }

  result.delivered = await complete(pool, done);
  await fail(pool, failures);
  result.failed = failures.length;
  result.dead = failures.filter(failure => failure.isDead).length;
  options.onBatch?.(result);
  if (outage && done.length === 0)
    throw new Error(`No event of ${rows.length} could be delivered: ${outage}`);
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
