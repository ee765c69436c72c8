import type { Pool } from "../store/postgres";
import { masters, type RedisClient } from "../store/redis";
import { shardName } from "../store/redis-keys";
import { detectEngine, type Engines } from "./detect-engine";
import type { ShardState } from "./engine";
import { fillShards } from "./fill";
import { type EngineName, SHARD_COUNT, shardCapacityFor } from "./layout";
import { publishPointer } from "./pointer";
import {
  activateVersion,
  addVersion,
  estimateUsers,
  liveVersions,
  nextVersion,
  type StoredVersion,
} from "./versions";

export type KeeperSettings = {
  /** Names the first version is made for, at least; twice the users that are there, if that is more. */
  capacity: number;
  errorRate: number;
  /** Force an engine, or `auto`: whatever the server can do. */
  engine: EngineName | "auto";
};

export type KeeperReport = (
  | { event: "activated"; version: number; engine: EngineName }
  | {
      event: "filling" | "filled";
      version: number;
      shards: number;
      some: string[];
      names?: number;
      overfull?: number;
    }
  | { event: "pointer published"; version: number }
  | { event: "shards"; version: number; sealed: number; full: number; broken: number }
) & { event: string };

export type KeeperOptions = {
  pool: Pool;
  redis: RedisClient;
  engines: Engines;
  settings: KeeperSettings;
  report: (report: KeeperReport) => void;
};

const ALL_SHARDS = Array.from({ length: SHARD_COUNT }, (_, shard) => shard);

/**
 * Keeps the filter whole. Each look, by one keeper at a time:
 *
 *   pointer missing or different? ──────────> publish it
 *   a shard missing, foreign or unsealed? ──> fill it again from the database
 *   no version for this server, or a shard that takes no more names?
 *     ──> building ──> fill 256 shards ──> active, the version before it is removed
 *
 * Meanwhile readers get no sentinel from a broken shard, know the full ones, and ask the database.
 */
export class Keeper {
  constructor(private readonly options: KeeperOptions) {}

  /** One look over everything. Rejects when Redis or Postgres does not answer: try again later. */
  async look(signal: AbortSignal): Promise<void> {
    const detected = await detectEngine(this.options.redis);
    const engine = this.options.settings.engine === "auto" ? detected : this.options.settings.engine;
    if (engine === "redisbloom" && detected === "bitmap") {
      throw new Error(
        "FILTER_ENGINE is redisbloom, but this Redis has no BF.* commands: set it to auto or bitmap",
      );
    }
    const live = await liveVersions(this.options.pool);
    // A forced engine is the only one that will do; else any that this server can read.
    const isUsable = (version: StoredVersion) =>
      this.options.settings.engine === "auto"
        ? version.engine === "bitmap" || detected === "redisbloom"
        : version.engine === engine;
    // Oldest first, so that after the loop it is the latest version that counts.
    let overfull: StoredVersion | undefined;
    for (const version of live.filter(isUsable)) {
      const isLargeEnough = await this.mendAndFollow(version, signal);
      overfull = isLargeEnough ? undefined : version;
    }
    if (!live.some(isUsable) || overfull) await this.build(engine, { overfull, signal });
  }

  private async build(
    engine: EngineName,
    { overfull, signal }: { overfull?: StoredVersion; signal: AbortSignal },
  ): Promise<void> {
    const { pool, settings, engines } = this.options;
    const capacity = Math.max(settings.capacity, 2 * (await estimateUsers(pool)));
    const shardCapacity = Math.max(shardCapacityFor(capacity), 2 * (overfull?.shardCapacity ?? 0));
    const number = await nextVersion(pool);
    const shape = { version: number, engine, shardCapacity, errorRate: settings.errorRate };
    // What another database left under these keys must not pass for ours.
    await Promise.all(ALL_SHARDS.map(shard => engines[engine].drop(shape, shard)));
    const version = await addVersion(pool, shape);
    await this.mendAndFollow(version, signal);
  }

  /** Readers follow a building version as soon as all its shards are filled; false if it is too small. */
  private async mendAndFollow(version: StoredVersion, signal: AbortSignal): Promise<boolean> {
    const { full, overfull } = await this.mend(version, signal);
    if (version.state === "building" && overfull === 0) await this.activate(version, full);
    return full.length === 0 && overfull === 0;
  }

  /** Readers follow the new version from here on; what came before it is removed. */
  private async activate(version: StoredVersion, full: number[]): Promise<void> {
    const { pool, redis, engines, report } = this.options;
    const retired = await activateVersion(pool, version.version);
    await publishPointer(redis, version, full);
    report({ event: "activated", version: version.version, engine: version.engine });
    for (const old of retired) {
      // One key at a time: this must not be felt by anyone.
      for (const shard of ALL_SHARDS) await engines[old.engine].drop(old, shard);
    }
  }

  /** Publishes the pointer of an active version and fills what is not sealed. */
  private async mend(
    version: StoredVersion,
    signal: AbortSignal,
  ): Promise<{ full: number[]; overfull: number }> {
    const { pool, redis, engines, report } = this.options;
    const engine = engines[version.engine];
    const states = await Promise.all(ALL_SHARDS.map(shard => engine.probe(version, shard)));
    const inState = (...wanted: ShardState[]) => ALL_SHARDS.filter(shard => wanted.includes(states[shard]!));
    const broken = inState("open", "missing", "foreign");
    const full = inState("full");
    const counts = { sealed: SHARD_COUNT - broken.length, full: full.length, broken: broken.length };
    report({ event: "shards", version: version.version, ...counts });
    if (version.state === "active" && (await publishPointer(redis, version, full))) {
      report({ event: "pointer published", version: version.version });
    }
    if (broken.length === 0) return { full, overfull: 0 };
    const which = {
      version: version.version,
      shards: broken.length,
      some: broken.slice(0, 8).map(shardName),
    };
    report({ event: "filling", ...which });
    const memory = () => this.memory();
    const { names, overfull } = await fillShards({ pool, engine, version, shards: broken, signal, memory });
    report({ event: "filled", ...which, names, overfull: overfull.length });
    return { full, overfull: overfull.length };
  }

  private async memory(): Promise<string> {
    return (await masterIdentities(this.options.redis)).sort().join(" ");
  }
}

/**
 * What a master's memory is: changes when it restarts or when another node takes over, and then
 * adds that it had acknowledged may be gone.
 */
export async function masterIdentities(redis: RedisClient): Promise<string[]> {
  return Promise.all(
    masters(redis).map(async node => {
      const info = String(await node.call("INFO"));
      const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? "";
      return `${field("run_id")}/${field("master_replid")}`;
    }),
  );
}
