import { CANDIDATE_STATES, type VersionState } from "../domain/filter/filter-version";
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
  /** Force an engine, or `auto`: whatever the server can do. */
  engine: EngineName | "auto";
  makeShards: (version: StoredVersion, shards: number[], signal: AbortSignal) => Promise<MakeShardsResult>;
  /** What there is does not do, and nobody has to decide about its successor: ask for one. */
  requestVersion: (engine: EngineName, request: RequestFields) => Promise<void>;
  report: (report: ShardsReport) => void;
  log: (event: { event: "repairing" | "repaired"; version: number; shards: string[]; rows?: number }) => void;
};

/** `shardCapacity`: at least so many names in a shard. */
export type RequestFields = { reason: string; shardCapacity: number };

/** One version and what its shards prove at the moment. */
export type SeenVersion = { version: StoredVersion; broken: number[]; full: number[] };

/** A shard that has more names than it can take is not filled again for so long. */
const OVERFULL_PAUSE_MS = 10 * 60_000;
const SHARDS_NAMED = 8;
const KEPT_STATES: readonly VersionState[] = ["ready", "active", "previous"];

/**
 * Keeps the versions whole that readers follow, or may follow after a flip.
 *
 *   look    what does each shard prove? full ones are told to the readers;
 *           nothing to answer from, or no room, and nothing on its way? ──> ask for a version
 *   repair  a shard missing, mismatched or unsealed ──> made anew from the database
 *
 * Meanwhile readers get no sentinel from a broken shard and ask the database.
 */
export class ShardRepairer {
  private readonly overfullUntil = new Map<string, number>();

  constructor(private readonly options: ShardRepairerOptions) {}

  /** One look over everything. Rejects when Redis or Postgres does not answer: try again later. */
  async look(): Promise<SeenVersion[]> {
    const { pool, requestVersion } = this.options;
    const engine = await this.engineToUse();
    const versions = await versionsIn(pool, KEPT_STATES);
    const seen: SeenVersion[] = [];
    for (const version of versions) {
      if (engine.isUsable(version)) seen.push(await this.lookAt(version));
    }
    const request = this.requestFor(seen, versions);
    const isOnItsWay = async () => (await versionsIn(pool, CANDIDATE_STATES)).length > 0;
    if (request && !(await isOnItsWay()) && !(await failedLately(pool)))
      await requestVersion(engine.name, request);
    return seen;
  }

  /** Why a version is needed that nobody has asked for; null while the active one does. */
  private requestFor(seen: readonly SeenVersion[], all: readonly StoredVersion[]): RequestFields | null {
    const active = seen.find(({ version }) => version.state === "active");
    if (active) {
      const { shardCapacity } = active.version;
      const isOverfull = [...this.overfullUntil.keys()].some(key =>
        key.startsWith(`${active.version.version}:`),
      );
      if (active.full.length === 0 && !isOverfull) return null;
      return { reason: "Shards are full: they take no more names.", shardCapacity: 2 * shardCapacity };
    }
    const isUnreadable = all.some(({ state }) => state === "active");
    return {
      reason: isUnreadable ? "The active version can't be read on this Redis." : "There is no version yet.",
      shardCapacity: 0,
    };
  }

  /** Makes the broken shards of one version anew: those that are broken now, whatever was seen before. */
  async repair({ version }: SeenVersion, signal: AbortSignal): Promise<void> {
    const { broken } = await probeShards(this.options.engines[version.engine], version);
    const now = Date.now();
    const keyOf = (shard: number) => `${version.version}:${shard}`;
    const shards = broken.filter(shard => (this.overfullUntil.get(keyOf(shard)) ?? 0) < now);
    if (shards.length === 0) return;
    const names = shards.map(shardName);
    const event = { version: version.version, shards: names.slice(0, SHARDS_NAMED) };
    this.options.log({ event: "repairing", ...event });
    const result = await this.options.makeShards(version, shards, signal);
    const after = await readVersion(this.options.pool, version.version);
    if (!after || !KEPT_STATES.includes(after.state)) {
      // Given up or retired meanwhile: nobody would ever remove what was made.
      for (const shard of shards) await this.options.engines[version.engine].drop(version, shard);
      return;
    }
    for (const shard of result.overfull) this.overfullUntil.set(keyOf(shard), now + OVERFULL_PAUSE_MS);
    const repaired = shards.filter(shard => !result.overfull.includes(shard)).map(shardName);
    const at = new Date().toISOString();
    const known = (version.progress.repaired ?? {}) as Record<string, string>;
    await setProgress(this.options.pool, version.version, {
      repaired: { ...known, ...Object.fromEntries(repaired.map(name => [name, at])) },
    });
    this.options.log({ event: "repaired", ...event, rows: result.rows });
  }

  private async lookAt(version: StoredVersion): Promise<SeenVersion> {
    const { pool, engines, report } = this.options;
    const { broken, full } = await probeShards(engines[version.engine], version);
    const sealed = ALL_SHARDS.length - broken.length;
    report({ version: version.version, sealed, full: full.length, broken: broken.length });
    if (full.join() !== version.fullShards.join()) await setFullShards(pool, version.version, full);
    return { version, broken, full };
  }

  private async engineToUse() {
    const detected = await detectEngine(this.options.redis);
    const forced = this.options.engine;
    if (forced === "redisbloom" && detected === "bitmap") {
      throw new Error(
        "FILTER_ENGINE is redisbloom, but this Redis has no BF.* commands: set it to auto or bitmap",
      );
    }
    // A forced engine is the only one that will do; else any that this server can read.
    const isUsable = ({ engine }: StoredVersion) =>
      forced === "auto" ? engine === "bitmap" || detected === "redisbloom" : engine === forced;
    return { name: forced === "auto" ? detected : forced, isUsable };
  }
}
