import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RedisProducerRegistry } from "../store/producer-registry";
import { KinesisFixture, readShard } from "../testing/kinesis-fixture";
import { WatermarkEmitter } from "./watermark-emitter";

let fixture: KinesisFixture;
beforeAll(async () => {
  fixture = await KinesisFixture.start();
});
afterAll(() => fixture.stop());

async function emitterOf(shards: number) {
  const { log, stream } = await fixture.freshLog(shards);
  const registry = new RedisProducerRegistry(fixture.redis, stream);
  const emitter = new WatermarkEmitter({
    log,
    registry,
    silenceUs: 60_000_000,
    windowUs: 200_000,
    minIntervalUs: 0,
  });
  return { log, stream, registry, emitter };
}

describe("an emitter on a log that lists its shards with a delay", () => {
  it("finds out by its own watermark that a shard was closed, and watermarks into the children", async () => {
    const { log, stream, emitter } = await emitterOf(1);
    await emitter.emitOnce();
    await fixture.kinesis.splitShard(stream, "0", 2n ** 127n);
    await expect(emitter.emitOnce()).rejects.toThrow("shard 0 takes no records any more");
    await emitter.emitOnce();
    for (const child of ["1", "2"])
      expect((await readShard(log, child, { count: 1 })).length).toBeGreaterThan(0);
  });

  it("claims nothing under a map that is older than the one producers have published", async () => {
    const { log, registry, emitter } = await emitterOf(2);
    const { version } = await log.readMap();
    const joined = await registry.join(version);
    const { startUs } = joined;
    await registry.publish(joined, { throughUs: startUs + 1, mapVersion: version + 1, except: {} });
    const before = fixture.proxy.countOf("PutRecords");
    await expect(emitter.emitOnce()).rejects.toThrow(/lists shard map \d+, and producers use \d+/);
    expect(fixture.proxy.countOf("PutRecords")).toBe(before);
    // A watermark that was not written evicts no producer.
    expect((await registry.view(0)).producers).toHaveLength(1);
  });
});
