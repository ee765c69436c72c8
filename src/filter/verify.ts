import { randomBytes } from "node:crypto";
import type { VerificationReport } from "../domain/filter/filter-gates";
import type { Pool } from "../store/postgres";
import { shardName } from "../store/redis-keys";
import { confirmMissing } from "./confirm-missing";
import { groupByShard } from "./deliver";
import type { FilterEngine } from "./engine";
import { type FilterVersion, SHARD_COUNT } from "./layout";
import { lookUp } from "./look-up";
import { probeShards } from "./probe-shards";
import { everyUsername, sampleUsernames } from "./username-pages";
import { estimateUsers } from "./versions";

export type VerifyOptions = {
  pool: Pool;
  engine: FilterEngine;
  version: FilterVersion;
  scope: VerificationReport["scope"];
  signal: AbortSignal;
  onProgress: (progress: { checked: number }) => void;
};

/** A sample of this size without a miss bounds the false-negative rate below 1e-5 at 95 %. */
const SAMPLE_ROWS = 300_000;
const ABSENT_NAMES = 50_000;
const ABSENT_PAGE = 2_500;
const PAGE_ROWS = 10_000;
/** The verification stops after so many missing names. */
const MAX_MISSED = 1_000;
const SHARDS_NAMED = 8;

/**
 * Compares a sealed version with the database, by the same lookups as readers. It does not trust any
 * result of the build.
 * @throws when Redis or Postgres does not answer, or `signal` aborts
 */
export async function verifyVersion(options: VerifyOptions): Promise<VerificationReport> {
  const startedAt = performance.now();
  const shards = await countShards(options);
  const rows = await lookUpRows(options);
  const absent = await lookUpAbsent(options);
  // A sample of a small table is the whole table.
  const isWhole = options.scope === "every-row" || (await estimateUsers(options.pool)) <= SAMPLE_ROWS;
  return {
    scope: isWhole ? "every-row" : "sample",
    finishedAt: new Date().toISOString(),
    tookMs: Math.round(performance.now() - startedAt),
    shards,
    rows,
    absent,
  };
}

async function countShards({ engine, version }: VerifyOptions): Promise<VerificationReport["shards"]> {
  const { broken, full } = await probeShards(engine, version);
  return {
    sealed: SHARD_COUNT - broken.length - full.length,
    full: full.length,
    broken: broken.slice(0, SHARDS_NAMED).map(shardName),
  };
}

async function lookUpRows(options: VerifyOptions): Promise<VerificationReport["rows"]> {
  const { pool, engine, version, scope, signal, onProgress } = options;
  const pages =
    scope === "every-row" ? everyUsername(pool, PAGE_ROWS) : sampleUsernames(pool, SAMPLE_ROWS, PAGE_ROWS);
  const rows = { checked: 0, missed: 0, unproven: 0 };
  const shards = new Set<number>();
  for await (const keys of pages) {
    signal.throwIfAborted();
    const { absent, unsealed } = await lookUp(engine, version, keys);
    const missing = await confirmMissing({ pool, engine, version }, absent);
    rows.checked += keys.length;
    rows.missed += missing.length;
    rows.unproven += unsealed.length;
    for (const shard of groupByShard([...missing, ...unsealed]).keys()) shards.add(shard);
    onProgress({ checked: rows.checked });
    if (rows.missed + rows.unproven > MAX_MISSED) break;
  }
  return { ...rows, missedShards: [...shards].slice(0, SHARDS_NAMED).map(shardName) };
}

/** Names that the username policy rejects, so no user can have them. */
async function lookUpAbsent({
  engine,
  version,
  signal,
}: VerifyOptions): Promise<VerificationReport["absent"]> {
  const result = { checked: 0, maybe: 0 };
  while (result.checked < ABSENT_NAMES) {
    signal.throwIfAborted();
    const keys = Array.from({ length: ABSENT_PAGE }, () => `#absent:${randomBytes(8).toString("hex")}`);
    const { maybe, absent } = await lookUp(engine, version, keys);
    // Names of unsealed shards do not count; countShards reports these shards.
    result.checked += maybe.length + absent.length;
    result.maybe += maybe.length;
    if (maybe.length + absent.length < ABSENT_PAGE / 2) break;
  }
  return result;
}
