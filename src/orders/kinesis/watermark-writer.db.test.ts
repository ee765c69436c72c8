import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { watermarkTurnsKey } from "../../store/order-keys";
import { KinesisFixture, readShard } from "../../testing/kinesis-fixture";
import { kinesisError } from "../../testing/kinesis-proxy";

let fixture: KinesisFixture;
beforeAll(async () => {
  fixture = await KinesisFixture.start();
});
afterEach(() => {
  fixture.proxy.hooks = {};
});
afterAll(() => fixture.stop());

const at = (readAtUs: number, minIntervalUs = 0) => ({ readAtUs, minIntervalUs, lowestProducer: 1 });
const watermark = (text: string) => Buffer.from(text);

describe("watermarks in Kinesis", () => {
  it("go into every shard with one call", async () => {
    const { log } = await fixture.freshLog(4);
    const { open } = await log.readMap();
    const before = fixture.proxy.countOf("PutRecords");
    await Promise.all(open.map(({ id }) => log.appendWatermark(id, watermark(`to ${id}`), at(5))));
    expect(fixture.proxy.countOf("PutRecords") - before).toBe(1);
    for (const { id } of open) {
      const read = await readShard(log, id, { count: 1 });
      expect(read.map(({ data }) => String(data))).toEqual([`to ${id}`]);
    }
  });

  it("keep their distance, and the newest wins, however many processes watermark", async () => {
    const { log, stream } = await fixture.freshLog(1);
    const other = fixture.open(stream).log;
    await Promise.all([log.readMap(), other.readMap()]);
    const far = 60_000_000;
    await Promise.all([
      log.appendWatermark("0", watermark("a"), at(5, far)),
      other.appendWatermark("0", watermark("a"), at(6, far)),
    ]);
    await log.appendWatermark("0", watermark("too soon"), at(9, far));
    await other.appendWatermark("0", watermark("newer"), at(10));
    await log.appendWatermark("0", watermark("older"), at(8));
    await log.appendWatermark("0", watermark("last"), at(11));
    const read = await readShard(log, "0", { count: 3 });
    expect(read.map(({ data }) => String(data))).toEqual(["a", "newer", "last"]);
  });

  it("are left out when they meet a limit, and reject when Kinesis does not answer", async () => {
    const { log } = await fixture.freshLog(1);
    await log.readMap();
    fixture.proxy.hooks.before = () => kinesisError("ProvisionedThroughputExceededException");
    await log.appendWatermark("0", watermark("a"), at(1));
    expect(fixture.problems).toContain("watermark not written");
    fixture.proxy.hooks.before = () => kinesisError("InternalFailureException", 500);
    await expect(log.appendWatermark("0", watermark("b"), at(2))).rejects.toThrow("InternalFailureException");
    fixture.proxy.hooks = {};
    await log.appendWatermark("0", watermark("c"), at(3));
    expect((await readShard(log, "0", { count: 1 })).map(({ data }) => String(data))).toEqual(["c"]);
  });

  it("report that a shard was closed, and are removed with it", async () => {
    const { log, stream } = await fixture.freshLog(1);
    await log.readMap();
    await fixture.kinesis.splitShard(stream, "0", 2n ** 127n);
    await expect(log.appendWatermark("0", watermark("a"), at(1))).rejects.toThrow(
      "takes no records any more",
    );
    const { open } = await log.readMap();
    await Promise.all(open.map(({ id }) => log.appendWatermark(id, watermark("b"), at(2))));
    const turns = () => fixture.redis.hkeys(watermarkTurnsKey(stream));
    expect((await turns()).sort()).toEqual(["0", "1", "2"]);
    await log.trim(new Map([["0", "end"]]));
    expect((await turns()).sort()).toEqual(["1", "2"]);
  });
});
