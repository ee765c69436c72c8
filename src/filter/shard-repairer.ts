import { CANDIDATE_STATES, type VersionState } from "../domain/filter/filter-version";
import type { Logger } from "../runtime/logger";
import type { Pool } from "../store/postgres";
import type { RedisClient } from "../store/redis";
import { shardName } from "../store/redis-keys";
import { detectEngine, type Engines } from "./detect-engine";
import { ALL_SHARDS, type EngineName } from "./layout";
import type { MakeShardsResult } from "./make-shards";
import { probeShards } from "./probe-shards";
import {
  failedLately,
  readVersion,
  type StoredVersion,
  setFullShards,
  setProgress,
  versionsIn,
} from "./versions";

export type ShardsReport = { version: number; sealed: number; full: number; broken: number };

export type ShardRepairerOptions = {
  pool: Pool;
  redis: RedisClient;
  engines: Engines;
  /** Force an engine, or `auto`: the best engine of the server. */
  engine: EngineName | "auto";
  makeShards: (version: StoredVersion, shards: number[], signal: AbortSignal) => Promise<MakeShardsResult>;
  /** Requests a version that is promoted without a decision, because no usable version can answer. */
  requestVersion: (engine: EngineName, request: RequestFields) => Promise<void>;
  report: (report: ShardsReport) => void;
  log: Logger;
};

/** `shardCapacity`: the least number of names a shard must hold. */
export type RequestFields = { reason: string; shardCapacity: number };

/** One version, and its shards that are broken or full now. */
export type InspectedVersion = { version: StoredVersion; broken: number[]; full: number[] };

/** Pause before the next repair of a shard with more names than its capacity. */
const OVERFULL_PAUSE_MS = 10 * 60_000;
const SHARDS_NAMED = 8;
const DETECT_EVERY_MS = 5_000;
const INSPECTED_STATES: readonly VersionState[] = ["ready", "active", "previous"];

/**
 * Repairs the versions that readers follow, or may follow after a promotion or a rollback.
 *
 *   inspect  probe each shard, store the full shards for the readers;
 *            no usable version, or a full one, and no candidate ──> request a version
 *   repair   a shard is missing, mismatched or open ──> rebuild it from the database
 *
 * A broken shard has no sentinel, so readers ask the database until it is repaired.
 */
export class ShardRepairer {
  private readonly overfullUntil = new Map<string, number>();
  private detected: EngineName | null = null;
  private detectedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ShardRepairerOptions) {}

  /** Inspects every version. Rejects when Redis or Postgres does not answer: retry later. */
  async inspect(): Promise<InspectedVersion[]> {
    const { pool, requestVersion } = this.options;
    const engine = await this.engineToUse();
    const versions = await versionsIn(pool, INSPECTED_STATES);
    const inspected: InspectedVersion[] = [];
    for (const version of versions) {
      if (engine.isUsable(version)) inspected.push(await this.inspectVersion(version));
    }
    const request = this.requestFor(inspected, versions);
    const hasCandidate = async () => (await versionsIn(pool, CANDIDATE_STATES)).length > 0;
    if (request && !(await hasCandidate()) && !(await failedLately(pool)))
      await requestVersion(engine.name, request);
    return inspected;
  }

  /** Why a new version is needed; null while the active version is usable and not full. */
  private requestFor(
    inspected: readonly InspectedVersion[],
    all: readonly StoredVersion[],
  ): RequestFields | null {
    const active = inspected.find(({ version }) => version.state === "active");
    if (active) {
      const { shardCapacity } = active.version;
      const isOverfull = [...this.overfullUntil.keys()].some(key =>
        key.startsWith(`${active.version.version}:`),
      );
      if (active.full.length === 0 && !isOverfull) return null;
      return { reason: "Shards are full: they accept no more names.", shardCapacity: 2 * shardCapacity };
    }
    const isUnreadable = all.some(({ state }) => state === "active");
    return {
      reason: isUnreadable ? "This Redis can't read the active version." : "There is no version yet.",
      shardCapacity: 0,
    };
  }

  /** Rebuilds the broken shards of one version. It probes again: the inspection may be old. */
  async repair({ version }: InspectedVersion, signal: AbortSignal): Promise<void> {
    const { pool, engines, makeShards, log } = this.options;
    const { broken } = await probeShards(engines[version.engine], version);
    const now = Date.now();
    const keyOf = (shard: number) => `${version.version}:${shard}`;
    const shards = broken.filter(shard => (this.overfullUntil.get(keyOf(shard)) ?? 0) < now);
    if (shards.length === 0) return;
    const fields = { version: version.version, shards: shards.map(shardName).slice(0, SHARDS_NAMED) };
    log.info(fields, "shard repair started");
    const result = await makeShards(version, shards, signal);
    const after = await readVersion(pool, version.version);
    if (!after || !INSPECTED_STATES.includes(after.state)) {
      // The version was cancelled or retired, and its keys may be removed already.
      for (const shard of shards) await engines[version.engine].drop(version, shard);
      return;
    }
    for (const shard of result.overfull) this.overfullUntil.set(keyOf(shard), now + OVERFULL_PAUSE_MS);
    const repaired = shards.filter(shard => !result.overfull.includes(shard)).map(shardName);
    const at = new Date().toISOString();
    const known = (version.progress.repaired ?? {}) as Record<string, string>;
    await setProgress(pool, version.version, {
      repaired: { ...known, ...Object.fromEntries(repaired.map(name => [name, at])) },
    });
    log.info({ ...fields, rows: result.rows }, "shard repair finished");
  }

  private async inspectVersion(version: StoredVersion): Promise<InspectedVersion> {
    const { pool, engines, report } = this.options;
    const { broken, full } = await probeShards(engines[version.engine], version);
    const sealed = ALL_SHARDS.length - broken.length;
    report({ version: version.version, sealed, full: full.length, broken: broken.length });
    if (full.join() !== version.fullShards.join()) await setFullShards(pool, version.version, full);
    return { version, broken, full };
  }

  /** Another server under the same address is noticed within seconds. */
  private async detect(): Promise<EngineName> {
    if (performance.now() - this.detectedAtMs > DETECT_EVERY_MS || this.detected === null) {
      this.detected = await detectEngine(this.options.redis);
      this.detectedAtMs = performance.now();
    }
    return this.detected;
  }

  private async engineToUse() {
    const detected = await this.detect();
    const forced = this.options.engine;
    if (forced === "redisbloom" && detected === "bitmap") {
      throw new Error(
        "FILTER_ENGINE is redisbloom, but this Redis has no BF.* commands. Set it to auto or bitmap.",
      );
    }
    // Versions of another engine than the forced one are not usable.
    const isUsable = ({ engine }: StoredVersion) =>
      forced === "auto" ? engine === "bitmap" || detected === "redisbloom" : engine === forced;
    return { name: forced === "auto" ? detected : forced, isUsable };
  }
}
