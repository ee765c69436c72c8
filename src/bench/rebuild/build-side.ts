import { buildShards } from "../../filter/build/build-shards";
import { readMasterMemory } from "../../filter/build/read-master-memory";
import { ALL_SHARDS, shardLayout } from "../../filter/layout";
import type { RedisClient } from "../../store/redis";
import { measureFalsePositives } from "./measure-false-positives";
import { openEngine } from "./open-engine";
import type { Figures, SideInput } from "./side-input";

/** The rebuild itself, from the snapshot until its shards are sealed; what it made is measured afterwards. */
export async function buildSide(input: SideInput): Promise<Figures> {
  const { redis, engine, version, close } = await openEngine(input);
  const usedBefore = await usedBytes(redis);
  const startedAt = performance.now();
  const built = await buildShards({
    databaseUrl: input.databaseUrl,
    engine,
    version,
    shards: ALL_SHARDS,
    signal: new AbortController().signal,
  });
  await Promise.all(ALL_SHARDS.map(shard => engine.seal(version, shard)));
  const ms = performance.now() - startedAt;
  const used = (await usedBytes(redis)) - usedBefore;
  const figures = {
    ms,
    rows: built.rows,
    readMs: built.readMs,
    loadMs: built.loadMs,
    peakRssBytes: built.peakRssBytes,
    filterBytes: shardLayout(version).bytes * ALL_SHARDS.length,
    bitsPerName: (used * 8) / built.rows,
    ...(await measureFalsePositives(engine, version, built.perShard)),
  };
  await close();
  return figures;
}

async function usedBytes(redis: RedisClient): Promise<number> {
  return (await readMasterMemory(redis)).reduce((sum, master) => sum + master.usedBytes, 0);
}
