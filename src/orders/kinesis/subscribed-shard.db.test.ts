import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OrderLog, ReadRecord } from "../../domain/orders/order-log";
import { decodeRecord } from "../../store/codec/order-record";
import { FanoutServer } from "../../testing/fanout-server";
import { KinesisFixture, readShard } from "../../testing/kinesis-fixture";
import { waitFor } from "../../testing/wait-for";

let fixture: KinesisFixture;
let server: FanoutServer;
beforeAll(async () => {
  [fixture, server] = await Promise.all([KinesisFixture.start(), FanoutServer.start()]);
  // The test server's certificate is self-signed.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
});
afterAll(async () => {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  await fixture.stop();
  server.stop();
});

const fanout = { reader: "fanout" as const, consumer: "test" };
const textsOf = (read: ReadRecord[]) => read.map(({ data }) => String(data));

describe("a consumer with a subscription, on kinesis-local", () => {
  it("registers its consumer once, and receives new records", async () => {
    const { log: writer, stream } = await fixture.freshLog(1);
    const put = (text: string) =>
      writer.append({
        shardId: "0",
        producer: 1,
        firstNumber: 1,
        records: [{ partitionKey: "DOGE", data: Buffer.from(text) }],
      });
    await put("a");
    const log = fixture.open(stream, { ...fanout, endpoint: fixture.kinesis.url }).log;
    const [first] = await readShard(log, "0", { count: 1 });
    expect(String(first!.data)).toBe("a");
    await put("b");
    expect(textsOf(await readShard(log, "0", { from: first!.position, count: 1 }))).toEqual(["b"]);
    // Another process, as a consumer of its own, from a position of its own.
    const other = fixture.open(stream, { ...fanout, consumer: "other", endpoint: fixture.kinesis.url }).log;
    const read = await readShard(other, "0", { from: first!.position, count: 1 });
    expect(read.map(({ data, missing }) => [String(data), missing])).toEqual([["b", 0]]);
  });
});

describe("a subscription to a shard, with scripted events over HTTP/2", () => {
  it("is renewed where it ended, broke off or failed, and is over at the end of the shard", async () => {
    const log = fixture.open("handmade", { ...fanout, endpoint: server.url }).log;
    const read: ReadRecord[] = [];
    const more = async (count: number) => {
      await waitFor(`${count} records`, async () => {
        const after = new Map([["0", read.at(-1)?.position ?? ""]]);
        read.push(...(await log.read(after, 500))[0]!.records);
        return read.length >= count;
      });
    };
    await kick(log);
    const first = await server.subscription(1);
    expect(first.httpVersion).toBe("2.0");
    expect(first.body.StartingPosition).toEqual({ Type: "TRIM_HORIZON" });
    first.send([10, 11]);
    first.send([], { ContinuationSequenceNumber: "15" });
    await more(2);
    // Five minutes are over.
    first.end();

    server.refusals.push("ResourceInUseException", "LimitExceededException");
    const second = await server.subscription(2);
    expect(second.body.StartingPosition).toEqual({ Type: "AFTER_SEQUENCE_NUMBER", SequenceNumber: "15" });
    second.send([20]);
    await more(3);
    second.hangUp();

    const third = await server.subscription(3);
    expect(third.body.StartingPosition).toEqual({ Type: "AFTER_SEQUENCE_NUMBER", SequenceNumber: "20" });
    third.send([21]);
    third.fail("InternalFailureException");
    await more(4);

    const fourth = await server.subscription(4);
    expect(fourth.body.StartingPosition).toEqual({ Type: "AFTER_SEQUENCE_NUMBER", SequenceNumber: "21" });
    const children = [{ ShardId: "shardId-000000000001", ParentShards: ["shardId-000000000000"] }];
    fourth.send([22], { ChildShards: children, ContinuationSequenceNumber: undefined });
    await more(6);
    expect(textsOf(read.slice(0, 5))).toEqual(["r10", "r11", "r20", "r21", "r22"]);
    expect(decodeRecord(read[5]!.data)).toEqual({ kind: "closed" });
    expect(read.map(({ missing }) => missing)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(fixture.problems).toContain("shard subscription failed");
  });

  it("starts at the last record that was read, and reports when that was trimmed", async () => {
    const log = fixture.open("handmade", { ...fanout, endpoint: server.url }).log;
    const before = server.subscriptions.length;
    await kick(log, "30");
    const subscription = await server.subscription(before + 1);
    expect(subscription.body.StartingPosition).toEqual({ Type: "AT_SEQUENCE_NUMBER", SequenceNumber: "30" });
    subscription.send([40]);
    const read = await readShard(log, "0", { from: "30", count: 1 });
    expect(read.map(({ position, missing }) => [position, missing])).toEqual([["40", 1]]);
  });
});

/** The first look opens the subscription. */
async function kick(log: OrderLog, from = ""): Promise<void> {
  expect(await log.read(new Map([["0", from]]), 10)).toEqual([{ shardId: "0", records: [] }]);
}
