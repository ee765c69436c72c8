import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { describeBuild } from "../../testing/build-contract";
import { createTestDatabase, insertUsersBySql, type TestDatabase } from "../../testing/test-database";
import { connect, TestRedis } from "../../testing/test-redis";
import { BitmapEngine } from "../bitmap-engine";
import { ALL_SHARDS, shardLayout } from "../layout";
import { buildShards } from "./build-shards";
import { KernelMemory } from "./kernel-memory";
import { loadKernel } from "./load-kernel";
import { ReaderThread } from "./reader-thread";

let server: TestRedis;
beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(() => server.remove());

describeBuild("bitmap", () => server.url);

const version = { version: 9, engine: "bitmap" as const, shardCapacity: 400, errorRate: 0.01 };

describe("a build whose Redis stops answering", () => {
  it("fails with the client's timeout, and at once when it is cancelled", async () => {
    const database = await createTestDatabase();
    await insertUsersBySql(database.pool, "user", 1_000);
    const redis = await connect(server.url, 1_500);
    const controller = new AbortController();
    const build = () =>
      buildShards({
        databaseUrl: database.url,
        engine: new BitmapEngine(redis),
        version,
        shards: ALL_SHARDS,
        signal: controller.signal,
        onProgress: ({ shardsLoaded }) => {
          if (shardsLoaded !== 10) return;
          server.pause();
          pausedAt = performance.now();
          if (isCancelled) controller.abort(new Error("cancelled"));
        },
      });
    let isCancelled = false;
    let pausedAt = 0;
    try {
      await expect(build()).rejects.toThrow(/timed out/i);
      server.resume();
      isCancelled = true;
      await expect(build()).rejects.toThrow("cancelled");
      expect(performance.now() - pausedAt).toBeLessThan(1_000);
    } finally {
      server.resume();
      redis.disconnect();
      await database.drop();
    }
  });
});

describe("a reader thread that ends", () => {
  let database: TestDatabase;
  let reader: ReaderThread;
  beforeEach(async () => {
    database = await createTestDatabase();
    const module = await loadKernel();
    const memory = KernelMemory.create(module, shardLayout(version), { shards: ALL_SHARDS, threads: 1 });
    const snapshot = { databaseUrl: database.url, timeLimitMs: 10_000 };
    reader = new ReaderThread({ module, place: memory.place(0), snapshot });
  });
  afterEach(async () => {
    await reader.stop();
    await database.drop();
  });

  it("with an error rejects its request, and all later requests", async () => {
    await expect(reader.ask({ open: "00000003-00000001-1" })).rejects.toThrow("snapshot");
    await expect(reader.ask({ read: { from: 0 } })).rejects.toThrow("snapshot");
  });

  it("without an error rejects its request", async () => {
    const opened = reader.ask({ open: "00000003-00000001-1" });
    await Promise.all([expect(opened).rejects.toThrow("ended with code"), reader.stop()]);
  });
});
