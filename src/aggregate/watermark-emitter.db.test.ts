import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RedisProducerRegistry } from "../store/producer-registry";
import { KinesisHouse, readShard } from "../testing/kinesis-fixture";
import { Pacemaker } from "./watermark-emitter";

let house: KinesisHouse;
beforeAll(async () => {
  house = await KinesisHouse.start();
});
afterAll(() => house.stop());

async function pacemakerOf(shards: number) {
  const { log, stream } = await house.freshLog(shards);
  const registry = new RedisProducerRegistry(house.redis, stream);
  const pacemaker = new Pacemaker({ log, registry, silenceUs: 60_000_000, minIntervalUs: 0 });
  return { log, stream, registry, pacemaker };
}

describe("a pacemaker on a log that lists its shards late", () => {
  it("finds out by its own beat that a shard was closed, and beats into the children", async () => {
    const { log, stream, pacemaker } = await pacemakerOf(1);
    await pacemaker.beatOnce();
    await house.kinesis.splitShard(stream, "0", 2n ** 127n);
    await expect(pacemaker.beatOnce()).rejects.toThrow("shard 0 takes no records any more");
    await pacemaker.beatOnce();
    for (const child of ["1", "2"])
      expect((await readShard(log, child, { count: 1 })).length).toBeGreaterThan(0);
  });

  it("claims nothing under a map that is older than the one producers have published", async () => {
    const { log, registry, pacemaker } = await pacemakerOf(2);
    const { version } = await log.readMap();
    const { producer, startUs } = await registry.join(version);
    await registry.publish(producer, { throughUs: startUs + 1, mapVersion: version + 1, except: {} });
    const before = house.proxy.countOf("PutRecords");
    await expect(pacemaker.beatOnce()).rejects.toThrow(/lists shard map \d+, and producers use \d+/);
    expect(house.proxy.countOf("PutRecords")).toBe(before);
    // Nobody is left out by a beat that was not written.
    expect((await registry.view(0)).producers).toHaveLength(1);
  });
});
