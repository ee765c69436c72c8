import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { OrderLog } from "../../domain/orders/order-log";
import { KinesisFixture, readShard } from "../../testing/kinesis-fixture";
import { kinesisError, type ProxiedAnswer, type ProxiedCall } from "../../testing/kinesis-proxy";
import { waitFor } from "../../testing/wait-for";

let fixture: KinesisFixture;
beforeAll(async () => {
  fixture = await KinesisFixture.start();
});
afterEach(() => {
  fixture.proxy.hooks = {};
});
afterAll(() => fixture.stop());

async function put(log: OrderLog, ...texts: string[]): Promise<void> {
  const records = texts.map(text => ({ partitionKey: "DOGE", data: Buffer.from(text) }));
  const { taken } = await log.append({ shardId: "0", producer: 1, firstNumber: 1, records });
  expect(taken).not.toContain(false);
}
const textsOf = (read: { data: Buffer }[]) => read.map(({ data }) => String(data));
const fails = (action: string, error: ProxiedAnswer, times: number) => {
  let left = times;
  fixture.proxy.hooks.before = call => (call.action === action && left-- > 0 ? error : undefined);
};

describe("a shard of Kinesis, polled", () => {
  it("continues after the last record when its iterator has expired: nothing is lost or doubled", async () => {
    const { log } = await fixture.freshLog(1);
    await put(log, "a", "b");
    const first = await readShard(log, "0", { count: 2 });
    // The reader paused for six minutes: Kinesis refuses the iterator that it has.
    const iterators = () => fixture.proxy.countOf("GetShardIterator");
    const before = iterators();
    fails("GetRecords", kinesisError("ExpiredIteratorException"), 1);
    await put(log, "c");
    const next = await readShard(log, "0", { from: first[1]!.position, count: 1 });
    expect(next.map(({ data, missing }) => [String(data), missing])).toEqual([["c", 0]]);
    expect(iterators() - before).toBe(1);
    const resumed = fixture.proxy.calls.filter(({ action }) => action === "GetShardIterator").at(-1)!;
    expect(resumed.body).toMatchObject({
      ShardIteratorType: "AT_SEQUENCE_NUMBER",
      StartingSequenceNumber: first[1]!.position,
    });
  });

  it("is read at any reported lag: records at 0 ms behind, and empty answers 5 s behind", async () => {
    const { log } = await fixture.freshLog(1);
    await put(log, "a", "b", "c");
    const behind = (millisBehind: number) => (call: ProxiedCall, answer: ProxiedAnswer) =>
      call.action === "GetRecords"
        ? { ...answer, body: { ...answer.body, MillisBehindLatest: millisBehind } }
        : answer;
    fixture.proxy.hooks.after = behind(0);
    const read = await readShard(log, "0", { count: 3 });
    expect(textsOf(read)).toEqual(["a", "b", "c"]);
    let empty = 0;
    fixture.proxy.hooks = {
      before: ({ action, body }) => {
        if (action !== "GetRecords" || empty >= 20) return undefined;
        empty += 1;
        const again = { NextShardIterator: body.ShardIterator };
        return { status: 200, body: { Records: [], MillisBehindLatest: 5_000, ...again } };
      },
      after: behind(5_000),
    };
    await put(log, "d");
    expect(textsOf(await readShard(log, "0", { from: read[2]!.position, count: 1 }))).toEqual(["d"]);
    expect(empty).toBe(20);
  });

  it("gets five calls a second at most, and fewer while it is over its limit", async () => {
    const { log } = await fixture.freshLog(1);
    const calls = () => fixture.proxy.countOf("GetRecords");
    const before = calls();
    const startMs = performance.now();
    await waitFor("four calls", async () => {
      await log.read(new Map([["0", ""]]), 10);
      return calls() - before >= 4;
    });
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(3 * 200 - 5);
    await put(log, "a");
    fails("GetRecords", kinesisError("ProvisionedThroughputExceededException"), 3);
    const iterators = fixture.proxy.countOf("GetShardIterator");
    expect(textsOf(await readShard(log, "0", { count: 1 }))).toEqual(["a"]);
    // A limit is no reason for another iterator.
    expect(fixture.proxy.countOf("GetShardIterator")).toBe(iterators);
  });

  it("is read again from the position of its caller", async () => {
    const { log } = await fixture.freshLog(1);
    await put(log, "a", "b", "c");
    const read = await readShard(log, "0", { count: 3 });
    const again = await readShard(log, "0", { from: read[0]!.position, count: 2 });
    expect(textsOf(again)).toEqual(["b", "c"]);
    expect(again[0]!.missing).toBe(0);
    expect(textsOf(await readShard(log, "0", { count: 3 }))).toEqual(["a", "b", "c"]);
  });

  it("reports missing records when the position to continue from was trimmed", async () => {
    const { log } = await fixture.freshLog(1);
    await put(log, "a", "b");
    const [first] = await readShard(log, "0", { count: 2 });
    const gone = String(BigInt(first!.position) - 1n);
    fixture.proxy.hooks.before = ({ action, body }) =>
      action === "GetShardIterator" && body.StartingSequenceNumber === gone
        ? kinesisError("InvalidArgumentException")
        : undefined;
    const read = await readShard(log, "0", { from: gone, count: 2 });
    expect(read.map(({ data, missing }) => [String(data), missing])).toEqual([
      ["a", 1],
      ["b", 0],
    ]);
  });

  it("ends when it is no longer listed, and reports its unread records as missing", async () => {
    const { log, stream } = await fixture.freshLog(1);
    await put(log, "a");
    const [first] = await readShard(log, "0", { count: 1 });
    await fixture.kinesis.splitShard(stream, "0", 2n ** 127n);
    fixture.proxy.hooks = {
      before: ({ action, body }) =>
        action === "GetShardIterator" && body.ShardId === "shardId-000000000000"
          ? kinesisError("ResourceNotFoundException")
          : undefined,
      after: ({ action }, answer) => {
        if (action !== "ListShards") return answer;
        const shards = answer.body.Shards as { ShardId: string }[];
        return { ...answer, body: { Shards: shards.filter(({ ShardId }) => !ShardId.endsWith("0")) } };
      },
    };
    const other = fixture.open(stream).log;
    const read = await readShard(other, "0", { from: first!.position, count: 1 });
    expect(read.map(({ position, missing }) => [position, missing])).toEqual([["end", 1]]);
  });

  it("rejects with faults that an operator must fix, and retries others", async () => {
    const { log, stream } = await fixture.freshLog(1);
    await put(log, "a");
    fails("GetRecords", kinesisError("InternalFailureException", 500), 2);
    expect(textsOf(await readShard(log, "0", { count: 1 }))).toEqual(["a"]);
    expect(fixture.problems).toContain("shard read failed");
    fails("GetShardIterator", kinesisError("AccessDeniedException"), 1);
    const denied = readShard(fixture.open(stream).log, "0", { count: 1 });
    await expect(denied).rejects.toThrow(/kinesis:GetShardIterator and kinesis:GetRecords/);
  });
});
