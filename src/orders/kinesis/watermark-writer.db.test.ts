import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { beatTurnsKey } from "../../store/order-keys";
import { KinesisHouse, readShard } from "../../testing/kinesis-fixture";
import { kinesisError } from "../../testing/kinesis-proxy";

let house: KinesisHouse;
beforeAll(async () => {
  house = await KinesisHouse.start();
});
afterEach(() => {
  house.proxy.hooks = {};
});
afterAll(() => house.stop());

const at = (readAtUs: number, minIntervalUs = 0) => ({ readAtUs, minIntervalUs, lowestProducer: 1 });
const beat = (text: string) => Buffer.from(text);

describe("beats in Kinesis", () => {
  it("go into every shard with one call", async () => {
    const { log } = await house.freshLog(4);
    const { open } = await log.readMap();
    const before = house.proxy.countOf("PutRecords");
    await Promise.all(open.map(({ id }) => log.appendBeat(id, beat(`to ${id}`), at(5))));
    expect(house.proxy.countOf("PutRecords") - before).toBe(1);
    for (const { id } of open) {
      const read = await readShard(log, id, { count: 1 });
      expect(read.map(({ data }) => String(data))).toEqual([`to ${id}`]);
    }
  });

  it("keep their distance, and the newest wins, however many processes beat", async () => {
    const { log, stream } = await house.freshLog(1);
    const other = house.open(stream).log;
    await Promise.all([log.readMap(), other.readMap()]);
    const far = 60_000_000;
    await Promise.all([
      log.appendBeat("0", beat("a"), at(5, far)),
      other.appendBeat("0", beat("a"), at(6, far)),
    ]);
    await log.appendBeat("0", beat("too soon"), at(9, far));
    await other.appendBeat("0", beat("newer"), at(10));
    await log.appendBeat("0", beat("older"), at(8));
    await log.appendBeat("0", beat("last"), at(11));
    const read = await readShard(log, "0", { count: 3 });
    expect(read.map(({ data }) => String(data))).toEqual(["a", "newer", "last"]);
  });

  it("are left out when they meet a limit, and reject when nobody answers", async () => {
    const { log } = await house.freshLog(1);
    await log.readMap();
    house.proxy.hooks.before = () => kinesisError("ProvisionedThroughputExceededException");
    await log.appendBeat("0", beat("a"), at(1));
    expect(house.problems).toContain("shard 0 took no beat");
    house.proxy.hooks.before = () => kinesisError("InternalFailureException", 500);
    await expect(log.appendBeat("0", beat("b"), at(2))).rejects.toThrow("InternalFailureException");
    house.proxy.hooks = {};
    await log.appendBeat("0", beat("c"), at(3));
    expect((await readShard(log, "0", { count: 1 })).map(({ data }) => String(data))).toEqual(["c"]);
  });

  it("say that a shard was closed, and are forgotten with it", async () => {
    const { log, stream } = await house.freshLog(1);
    await log.readMap();
    await house.kinesis.splitShard(stream, "0", 2n ** 127n);
    await expect(log.appendBeat("0", beat("a"), at(1))).rejects.toThrow("takes no records any more");
    const { open } = await log.readMap();
    await Promise.all(open.map(({ id }) => log.appendBeat(id, beat("b"), at(2))));
    const turns = () => house.redis.hkeys(beatTurnsKey(stream));
    expect((await turns()).sort()).toEqual(["0", "1", "2"]);
    await log.trim(new Map([["0", "end"]]));
    expect((await turns()).sort()).toEqual(["1", "2"]);
  });
});
