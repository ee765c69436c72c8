import type { Pool } from "../store/postgres";
import { masters, type RedisClient } from "../store/redis";
import { shardName } from "../store/redis-keys";
import { detectEngine, type Engines } from "./detect-engine";
import type { ShardState } from "./engine";
import { fillShards } from "./fill";
import { type EngineName, type FilterVersion, SHARD_COUNT, shardCapacityFor } from "./layout";
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
  | { event: "filling" | "filled"; version: number; shards: number; some: string[]; names?: number }
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
 *   no version for this server? ─> building ─> fill 256 shards ─> active
 *   a shard missing, foreign or unsealed? ─> fill it again from the database
 *   pointer missing or different? ─> publish it
 *
 * Meanwhile readers get no sentinel from a broken shard and ask the database.
 */
export class Keeper {
  constructor(private readonly options: KeeperOptions) {}

  /** One look over everything. Rejects when Redis or Postgres does not answer: try again later. */
  async look(signal: AbortSignal): Promise<void> {
    const { pool, redis } = this.options;
    const detected = await detectEngine(redis);
    for (const version of await liveVersions(pool)) {
      // A version in an engine this server lacks can be neither read nor mended.
      if (version.engine === "redisbloom" && detected === "bitmap") continue;
      const full = await this.mend(version, signal);
      if (version.state === "building") await this.activate(version);
      if (await publishPointer(redis, version, full)) {
        this.options.report({ event: "pointer published", version: version.version });
      }
    }
    const usable = (await liveVersions(pool)).some(v => v.engine === "bitmap" || detected === "redisbloom");
    if (!usable) await this.build(detected, signal);
  }

  private async build(detected: EngineName, signal: AbortSignal): Promise<void> {
    const { pool, settings, redis } = this.options;
    const engine = settings.engine === "auto" ? detected : settings.engine;
    if (engine === "redisbloom" && detected === "bitmap") {
      throw new Error(
        "FILTER_ENGINE is redisbloom, but this Redis has no BF.* commands: set it to auto or bitmap",
      );
    }
    const capacity = Math.max(settings.capacity, 2 * (await estimateUsers(pool)));
    const shape = { engine, shardCapacity: shardCapacityFor(capacity), errorRate: settings.errorRate };
    const number = await nextVersion(pool);
    // What another database left under these keys must not pass for ours.
    const leftover = { version: number, ...shape };
    await Promise.all(ALL_SHARDS.map(shard => this.options.engines[engine].drop(leftover, shard)));
    const version = await addVersion(pool, leftover);
    const full = await this.mend(version, signal);
    await this.activate(version);
    await publishPointer(redis, version, full);
  }

  private async activate(version: StoredVersion): Promise<void> {
    await activateVersion(this.options.pool, version.version);
    this.options.report({ event: "activated", version: version.version, engine: version.engine });
  }

  private async memory(): Promise<string> {
    return (await masterIdentities(this.options.redis)).sort().join(" ");
  }

  /** Fills what is not sealed; returns the shards that are full. */
  private async mend(version: FilterVersion, signal: AbortSignal): Promise<number[]> {
    const { pool, engines, report } = this.options;
    const engine = engines[version.engine];
    const states = await Promise.all(ALL_SHARDS.map(shard => engine.probe(version, shard)));
    const inState = (...wanted: ShardState[]) => ALL_SHARDS.filter(shard => wanted.includes(states[shard]!));
    const broken = inState("open", "missing", "foreign");
    const full = inState("full");
    const sealed = SHARD_COUNT - broken.length;
    report({ event: "shards", version: version.version, sealed, full: full.length, broken: broken.length });
    if (broken.length > 0) {
      const which = {
        version: version.version,
        shards: broken.length,
        some: broken.slice(0, 8).map(shardName),
      };
      report({ event: "filling", ...which });
      const names = await fillShards({
        pool,
        engine,
        version,
        shards: broken,
        signal,
        memory: () => this.memory(),
      });
      report({ event: "filled", ...which, names });
    }
    return full;
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
