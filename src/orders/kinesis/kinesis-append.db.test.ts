import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { shardOfKey } from "../../domain/orders/hash-range";
import { decodeRecord } from "../../store/codec/order-record";
import { partialFailures } from "../../testing/kinesis-faults";
import { KinesisFixture, readShard } from "../../testing/kinesis-fixture";
import { kinesisError, type ProxiedCall } from "../../testing/kinesis-proxy";

let fixture: KinesisFixture;
beforeAll(async () => {
  fixture = await KinesisFixture.start();
});
afterEach(() => {
  fixture.proxy.hooks = {};
});
afterAll(() => fixture.stop());

const records = (...texts: string[]) =>
  texts.map(text => ({ partitionKey: "DOGE", data: Buffer.from(text) }));
const call = (shardId: string, texts: string[]) => ({
  shardId,
  producer: 1,
  firstNumber: 1,
  records: records(...texts),
});
const textsOf = (read: { data: Buffer }[]) => read.map(({ data }) => String(data));
const sizeOf = ({ body }: ProxiedCall) => (body.Records as unknown[]).length;

describe("records appended to Kinesis", () => {
  it("are routed by the shard map, and each has its own answer", async () => {
    const { log } = await fixture.freshLog(3);
    const map = await log.readMap();
    const home = shardOfKey(map.open, "DOGE").id;
    fixture.proxy.hooks.after = ({ action }, answer) => {
      if (action !== "PutRecords") return answer;
      const all = answer.body.Records as Record<string, unknown>[];
      all[1] = { ErrorCode: "ProvisionedThroughputExceededException", ErrorMessage: "slow down" };
      all[3] = { ErrorCode: "InternalFailure", ErrorMessage: "internal" };
      return { ...answer, body: { ...answer.body, FailedRecordCount: 2 } };
    };
    const result = await log.append(call(home, ["a", "b", "c", "d"]));
    expect(result).toEqual({ outcome: "throttled", taken: [true, false, true, false], retryAfterMs: null });
    const read = await readShard(log, home, { count: 4 });
    expect(textsOf(read).sort()).toEqual(["a", "b", "c", "d"]);
    for (let i = 1; i < read.length; i += 1)
      expect(log.isAfter(read[i]!.position, read[i - 1]!.position)).toBe(true);
  });

  it("that fail inside Kinesis are not taken, and no limit was met", async () => {
    const { log } = await fixture.freshLog(1);
    await log.readMap();
    fixture.proxy.hooks.after = ({ action }, answer) =>
      action === "PutRecords"
        ? { status: 200, body: { FailedRecordCount: 1, Records: [{ ErrorCode: "InternalFailure" }] } }
        : answer;
    expect(await log.append(call("0", ["a"]))).toMatchObject({ outcome: "ok", taken: [false] });
  });

  it("meet a limit together when the whole call does, and reject when the outcome is unknown", async () => {
    const { log } = await fixture.freshLog(1);
    await log.readMap();
    for (const name of ["ProvisionedThroughputExceededException", "LimitExceededException"]) {
      fixture.proxy.hooks.before = () => kinesisError(name);
      expect(await log.append(call("0", ["a", "b"]))).toMatchObject({
        outcome: "throttled",
        taken: [false, false],
      });
    }
    fixture.proxy.hooks.before = () => kinesisError("InternalFailureException", 500);
    const before = fixture.proxy.countOf("PutRecords");
    await expect(log.append(call("0", ["a"]))).rejects.toThrow("InternalFailureException");
    // The client does not retry automatically: a retry could change the order.
    expect(fixture.proxy.countOf("PutRecords") - before).toBe(1);
    fixture.proxy.hooks = { after: ({ action }, answer) => (action === "PutRecords" ? null : answer) };
    await expect(log.append(call("0", ["a"]))).rejects.toThrow();
  });

  it("of several shards share a call, and each gets its own answer", async () => {
    const { log } = await fixture.freshLog(3);
    const { open } = await log.readMap();
    const keys = Array.from({ length: 40 }, (_, i) => `K${i}`);
    const keyOf = (id: string) => keys.find(key => shardOfKey(open, key).id === id)!;
    const to = (id: string, texts: string[]) => ({
      shardId: id,
      producer: 1,
      firstNumber: 1,
      records: texts.map(text => ({ partitionKey: keyOf(id), data: Buffer.from(text) })),
    });
    const puts = () => fixture.proxy.calls.filter(({ action }) => action === "PutRecords");
    const before = puts().length;
    const [a, b, c] = open.map(({ id }) => id) as [string, string, string];
    fixture.proxy.hooks = partialFailures(() => [2]);
    const results = await Promise.all([
      log.append(to(a, ["a1", "a2"])),
      log.append(to(b, ["b1", "b2"])),
      log.append(to(c, ["c1"])),
    ]);
    expect(puts().length - before).toBe(1);
    expect(results.map(({ outcome, taken }) => [outcome, ...taken])).toEqual([
      ["ok", true, true],
      ["throttled", false, true],
      ["ok", true],
    ]);
    fixture.proxy.hooks = {};
    const full = Array<string>(300).fill("x");
    const both = await Promise.all([log.append(to(a, full)), log.append(to(b, full))]);
    expect(both.map(({ taken }) => taken.length)).toEqual([300, 300]);
    expect(
      puts()
        .slice(before + 1)
        .map(sizeOf),
    ).toEqual([300, 300]);
    fixture.proxy.hooks.before = () => kinesisError("InternalFailureException", 500);
    const lost = await Promise.allSettled([log.append(to(a, ["x"])), log.append(to(c, ["y"]))]);
    expect(lost.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it("count with their keys in UTF-8: 1,048,570 bytes beside DOGE-1 go in, one more does not", async () => {
    const { log } = await fixture.freshLog(1);
    await log.readMap();
    const record = (partitionKey: string, bytes: number) => ({ partitionKey, data: Buffer.alloc(bytes) });
    const before = fixture.proxy.countOf("PutRecords");
    const result = await log.append({
      shardId: "0",
      producer: 1,
      firstNumber: 1,
      records: [
        record("DOGE-1", 1_048_570),
        record("DOGE-1", 1_048_571),
        record("ÐOGE-1", 1_048_570),
        record("DOGE-1", 10),
      ],
    });
    expect(result).toMatchObject({ outcome: "ok", taken: [true, false, false, true] });
    expect(
      fixture.proxy.calls
        .filter(({ action }) => action === "PutRecords")
        .slice(before)
        .map(sizeOf),
    ).toEqual([2]);
    expect((await readShard(log, "0", { count: 2 })).map(({ data }) => data.length)).toEqual([1_048_570, 10]);
    expect(fixture.problems).toContain("record exceeds the size limit of Kinesis");
  });
});

describe("a reshard", () => {
  it("is detected by the shards that records land in; they count only when their producer knows the new map", async () => {
    const { log, stream } = await fixture.freshLog(1);
    const before = await log.readMap();
    expect((await log.append(call("0", ["a"]))).outcome).toBe("ok");
    await fixture.kinesis.splitShard(stream, "0", 2n ** 127n);
    // The producer still has the old map; Kinesis takes its record in a child.
    expect(await log.append(call("0", ["b"]))).toMatchObject({ outcome: "closed", taken: [false] });
    const puts = fixture.proxy.countOf("PutRecords");
    expect(await log.append(call("0", ["b"]))).toMatchObject({ outcome: "closed", taken: [false] });
    expect(fixture.proxy.countOf("PutRecords")).toBe(puts);
    const after = await log.readMap();
    expect(after.version).toBeGreaterThan(before.version);
    expect(after.open.map(({ id }) => id).sort()).toEqual(["1", "2"]);
    const home = shardOfKey(after.open, "DOGE").id;
    expect(await log.append(call(home, ["b"]))).toMatchObject({ outcome: "ok", taken: [true] });
    expect(textsOf(await readShard(log, home, { count: 2 }))).toEqual(["b", "b"]);
  });

  it("closes parents behind their last record, and every process sees the same version", async () => {
    const { log, stream } = await fixture.freshLog(2);
    const first = (await log.readMap()).open[0]!.id;
    const key = ["DOGE", "BTC", "ETH", "SOL"];
    const map = await log.readMap();
    const partitionKey = key.find(one => shardOfKey(map.open, one).id === first)!;
    const append = { shardId: first, producer: 1, firstNumber: 1 };
    await log.append({ ...append, records: [{ partitionKey, data: Buffer.from("a") }] });
    await fixture.kinesis.splitShard(stream, first, 2n ** 126n);
    const split = await log.readMap();
    await fixture.kinesis.mergeShards(stream, "2", "3");
    const merged = await log.readMap();
    expect(merged.open.map(({ id }) => id).sort()).toEqual(["1", "4"]);
    expect([map, split, merged].map(({ version }) => version)).toEqual(
      [map, split, merged].map(({ version }) => version).sort((a, b) => a - b),
    );
    expect(new Set([map, split, merged].map(({ version }) => version)).size).toBe(3);
    const other = fixture.open(stream).log;
    expect(await other.readMap()).toEqual(merged);
    expect((await log.readableShards()).sort()).toEqual(["0", "1", "2", "3", "4"]);
    const read = await readShard(other, first, { count: 2 });
    expect(String(read[0]!.data)).toBe("a");
    expect(decodeRecord(read[1]!.data)).toEqual({ kind: "closed" });
    expect(read[1]!.position).toBe("end");
    // Nothing more comes, and nothing is asked.
    expect(await other.read(new Map([[first, "end"]]), 10)).toEqual([{ shardId: first, records: [] }]);
  });

  it("is waited for while the stream's list lags behind the answers to puts", async () => {
    const { log, stream } = await fixture.freshLog(1);
    await log.readMap();
    await fixture.kinesis.splitShard(stream, "0", 2n ** 127n);
    await log.append(call("0", ["a"]));
    let stale = 3;
    fixture.proxy.hooks.after = ({ action }, answer) => {
      if (action !== "ListShards" || stale-- <= 0) return answer;
      const [parent] = answer.body.Shards as { SequenceNumberRange: Record<string, string> }[];
      const { EndingSequenceNumber: _, ...range } = parent!.SequenceNumberRange;
      return { ...answer, body: { Shards: [{ ...parent, SequenceNumberRange: range }] } };
    };
    expect((await log.readMap()).open.map(({ id }) => id).sort()).toEqual(["1", "2"]);
    expect(stale).toBeLessThan(0);
  });

  it("may take pages of shards to list", async () => {
    const { log } = await fixture.freshLog(5);
    const all = await log.readMap();
    fixture.proxy.hooks.before = ({ action, body }) => {
      if (action === "ListShards" && body.StreamName !== undefined) body.MaxResults = 2;
      return undefined;
    };
    expect(await log.readMap()).toEqual(all);
  });
});
