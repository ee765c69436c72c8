import { expect, it } from "vitest";
import { masters } from "../../store/redis";
import { describeBuild } from "../../testing/build-contract";
import { committedNames, namesNotIn, shardStates } from "../../testing/filter-state";
import { realRedisBloomUrl } from "../../testing/real-redisbloom";
import { createTestDatabase, insertUsersBySql } from "../../testing/test-database";
import { connect } from "../../testing/test-redis";
import { ALL_SHARDS } from "../layout";
import { RedisBloomEngine } from "../redisbloom-engine";
import { type BuildProgress, buildShards } from "./build-shards";

const url = realRedisBloomUrl();
describeBuild("redisbloom", () => url);

it("adds name by name where BF.LOADCHUNK is not allowed", async () => {
  const database = await createTestDatabase();
  await insertUsersBySql(database.pool, "user", 30_000);
  const admin = await connect(url);
  await Promise.all(masters(admin).map(node => node.flushall()));
  const rules = ["on", ">secret", "~*", "+@all", "-bf.loadchunk"];
  await Promise.all(masters(admin).map(node => node.call("ACL", "SETUSER", "no-load", "reset", ...rules)));
  const restricted = url.split(",").map(part => part.replace("redis://", "redis://no-load:secret@"));
  const redis = await connect(restricted.join(","));
  try {
    const engine = new RedisBloomEngine(redis);
    const version = { version: 11, engine: "redisbloom" as const, shardCapacity: 400, errorRate: 0.01 };
    const shards = ALL_SHARDS;
    const reports: BuildProgress[] = [];
    const result = await buildShards({
      databaseUrl: database.url,
      engine,
      version,
      shards,
      signal: new AbortController().signal,
      onProgress: report => reports.push(report),
    });
    expect(result.insertedBecause).toMatch(/permission/i);
    expect(reports.at(-1)).toMatchObject({ phase: "inserting", namesInserted: 30_000 });
    expect(new Set(await shardStates(engine, version))).toEqual(new Set(["open"]));
    await Promise.all(shards.map(shard => engine.seal(version, shard)));
    expect(await namesNotIn(engine, version, await committedNames(database.pool))).toEqual([]);
  } finally {
    redis.disconnect();
    await Promise.all(masters(admin).map(node => node.call("ACL", "DELUSER", "no-load")));
    admin.disconnect();
    await database.drop();
  }
});
