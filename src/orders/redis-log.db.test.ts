import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HASH_SPACE } from "../domain/orders/hash-range";
import { END, START } from "../domain/orders/order-log";
import { decodeRecord } from "../store/codec/order-record";
import { shardMetaKey, shardProducersKey, shardStreamKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";
import { connect, TestRedis } from "../testing/test-redis";
import { KINESIS_LIMITS, NO_LIMITS, RedisLog } from "./redis-log";

let server: TestRedis;
let redis: RedisClient;
let serial = 0;

beforeAll(async () => {
  server = await TestRedis.start();
  redis = await connect(server.url, 5_000);
});
afterAll(async () => {
  redis.disconnect();
  await server.remove();
});

async function freshLog(shards = 2, limits = NO_LIMITS): Promise<{ log: RedisLog; name: string }> {
  serial += 1;
  const name = `log${serial}`;
  const log = new RedisLog(redis, { log: name, limits });
  await log.create(shards);
  return { log, name };
}

const records = (...texts: string[]) =>
  texts.map(text => ({ partitionKey: "DOGE", data: Buffer.from(text) }));
const readAll = async (log: RedisLog, shardId: string, from = START) =>
  (await log.read(new Map([[shardId, from]]), 1_000))[0]!.records;
const texts = async (log: RedisLog, shardId: string) =>
  (await readAll(log, shardId)).map(({ data }) => String(data));

describe("a shard in Redis", () => {
  it("takes records in order, and a repeated call only once", async () => {
    const { log } = await freshLog();
    const call = { shardId: "0", producer: 1, firstNumber: 1, records: records("a", "b") };
    expect(await log.append(call)).toMatchObject({ outcome: "ok", taken: [true, true] });
    // The answer was lost; the same records come again, with more behind them.
    const more = { ...call, records: records("a", "b", "c") };
    expect(await log.append(more)).toMatchObject({ outcome: "ok", taken: [true, true, true] });
    expect(await texts(log, "0")).toEqual(["a", "b", "c"]);
  });

  it("takes exactly 1,000 records a second, and returns when there is room", async () => {
    const { log } = await freshLog(1, KINESIS_LIMITS);
    const call = { shardId: "0", producer: 1, firstNumber: 1, records: records(...Array(1_300).fill("x")) };
    const startMs = Date.now();
    const { outcome, taken, retryAfterMs } = await log.append(call);
    const count = taken.filter(Boolean).length;
    expect(outcome).toBe("throttled");
    expect(count).toBeGreaterThanOrEqual(1_000);
    expect(count).toBeLessThanOrEqual(1_000 + (Date.now() - startMs) + 1);
    // The taken records are a prefix: the order stays.
    expect(taken.indexOf(false)).toBe(count);
    expect(retryAfterMs).toBeGreaterThan(0);
  });

  it("takes 1 MB a second, counting the key, and lets a full-sized record through", async () => {
    const { log } = await freshLog(1, KINESIS_LIMITS);
    const record = (bytes: number) => [{ partitionKey: "DOGE-1", data: Buffer.alloc(bytes) }];
    const first = await log.append({ shardId: "0", producer: 1, firstNumber: 1, records: record(1_048_570) });
    expect(first.outcome).toBe("ok");
    const second = await log.append({ shardId: "0", producer: 1, firstNumber: 2, records: record(100_000) });
    expect(second).toMatchObject({ outcome: "throttled", taken: [false] });
    expect(second.retryAfterMs).toBeLessThan(150);
  });

  it("refuses a fenced producer, and returns which records it had taken before", async () => {
    const { log } = await freshLog();
    await log.append({ shardId: "0", producer: 7, firstNumber: 1, records: records("a") });
    await log.fence("0", 7);
    const call = { shardId: "0", producer: 7, firstNumber: 1, records: records("a", "b") };
    expect(await log.append(call)).toMatchObject({ outcome: "fenced", taken: [true, false] });
    // A producer that has never written here is refused as well.
    await log.fence("1", 7);
    expect((await log.append({ ...call, shardId: "1" })).outcome).toBe("fenced");
    expect(await texts(log, "0")).toEqual(["a"]);
    expect((await log.append({ ...call, producer: 8 })).outcome).toBe("ok");
  });

  it("distinguishes two producers with the same number", async () => {
    const { log } = await freshLog();
    const call = { shardId: "0", producer: 7, firstNumber: 1 };
    const first = { ...call, incarnation: "first", records: records("a") };
    const second = { ...call, incarnation: "second", records: records("b") };
    expect((await log.append(first)).outcome).toBe("ok");
    expect(await log.append(second)).toMatchObject({ outcome: "fenced", taken: [false] });
    expect(await log.append(first)).toMatchObject({ outcome: "ok", taken: [true] });
    expect(await texts(log, "0")).toEqual(["a"]);
  });

  it("remembers a bounded number of producers, and refuses forgotten ones as such", async () => {
    const { log, name } = await freshLog();
    const call = { shardId: "0", firstNumber: 1, records: records("a") };
    for (let producer = 1; producer <= 2_002; producer += 1)
      if (producer !== 9) await log.append({ ...call, producer });
    // 9 has never written here, and 5 lives on.
    await log.forgetProducers("0", { alive: [5, 9], last: 2_002 });
    expect(await redis.hlen(shardProducersKey(name, "0"))).toBe(1_001 + 2 + 1);
    expect((await log.append({ ...call, producer: 8 })).outcome).toBe("forgotten");
    expect(await log.append({ ...call, producer: 5 })).toMatchObject({ outcome: "ok", taken: [true] });
    expect((await log.append({ ...call, producer: 9, incarnation: "its own" })).outcome).toBe("ok");
    expect((await log.append({ ...call, producer: 2_003 })).outcome).toBe("ok");
  });

  it("notices that unread records were trimmed, and how many", async () => {
    const { log, name } = await freshLog();
    await log.append({ shardId: "0", producer: 1, firstNumber: 1, records: records("a", "b", "c", "d") });
    const [first] = await readAll(log, "0");
    await redis.xtrim(shardStreamKey(name, "0"), "MAXLEN", 1);
    expect(
      (await readAll(log, "0", first!.position)).map(({ missing, data }) => [missing, String(data)]),
    ).toEqual([[2, "d"]]);
  });

  it("trims only records that were passed", async () => {
    const { log } = await freshLog();
    const texts250 = Array.from({ length: 250 }, (_, i) => `r${i}`);
    await log.append({ shardId: "0", producer: 1, firstNumber: 1, records: records(...texts250) });
    const all = await readAll(log, "0");
    await log.trim(new Map([["0", all[200]!.position]]));
    const left = await readAll(log, "0", all[200]!.position);
    expect(left.map(({ data }) => String(data))).toEqual(texts250.slice(201));
    expect(left[0]!.missing).toBe(0);
    expect((await readAll(log, "0")).length).toBeLessThan(250);
  });

  it("orders positions by number, not by text", async () => {
    const { log } = await freshLog();
    expect(log.isAfter("10-0/3", "9-5/2")).toBe(true);
    expect(log.isAfter("9-10/3", "9-9/2")).toBe(true);
    expect(log.isAfter("9-9/2", "9-9/2")).toBe(false);
    expect(log.isAfter("0-1/1", START)).toBe(true);
  });
});

describe("a reshard", () => {
  it("closes parents behind their last record, and the children cover their ranges", async () => {
    const { log, name } = await freshLog(2);
    await log.append({ shardId: "0", producer: 1, firstNumber: 1, records: records("a") });
    const { version } = await log.readMap();
    await log.splitShard("0");
    const call = { shardId: "0", producer: 1, firstNumber: 1, records: records("a", "b") };
    expect(await log.append(call)).toMatchObject({ outcome: "closed", taken: [true, false] });
    expect(decodeRecord((await readAll(log, "0")).at(-1)!.data)).toEqual({ kind: "closed" });

    let map = await log.readMap();
    expect(map.version).toBe(version + 1);
    expect(map.open.reduce((sum, { startHash, endHash }) => sum + endHash - startHash + 1n, 0n)).toBe(
      HASH_SPACE,
    );
    await log.mergeShards("2", "3");
    map = await log.readMap();
    expect(map.open.map(({ id }) => id).sort()).toEqual(["1", "4"]);
    expect(await log.readableShards()).toEqual(["0", "1", "2", "3", "4"]);
    await log.trim(new Map([["0", END]]));
    expect(await log.readableShards()).toEqual(["1", "2", "3", "4"]);
    // A delayed call is still refused.
    expect(await log.append(call)).toMatchObject({ outcome: "closed", taken: [true, false] });
    expect(await redis.exists(shardStreamKey(name, "0"))).toBe(0);
    await expect(log.splitShard("0")).rejects.toThrow("no open shard");
    await expect(log.mergeShards("1", "1")).rejects.toThrow("not adjacent");
  });

  it.each([
    ["create", (log: RedisLog) => log.create(1)],
    ["trim", (log: RedisLog) => log.trim(new Map())],
    ["change", (log: RedisLog) => log.splitShard("1")],
  ] as const)("that was interrupted is completed by the next %s", async (_, next) => {
    const { log, name } = await freshLog(1);
    await log.splitShard("0");
    // The map is changed first; the process dies before the parent is closed.
    await redis.unlink(shardStreamKey(name, "0"), shardMetaKey(name, "0"));
    const call = { shardId: "0", producer: 1, firstNumber: 1, records: records("a") };
    expect((await log.append(call)).outcome).toBe("ok");
    await next(log);
    expect((await log.append({ ...call, firstNumber: 2 })).outcome).toBe("closed");
    expect(decodeRecord((await readAll(log, "0")).at(-1)!.data)).toEqual({ kind: "closed" });
    await log.create(1);
    expect(await texts(log, "0")).toHaveLength(2);
  });

  it("of an older map changes nothing, and of two at once one wins", async () => {
    const { log } = await freshLog(2);
    const { version } = await log.readMap();
    expect(await log.reshard({ kind: "split", shardId: "0" }, version - 1)).toBe(false);
    const changes = ["0", "1"].map(shardId => log.reshard({ kind: "split", shardId }, version));
    expect((await Promise.all(changes)).sort()).toEqual([false, true]);
    const { version: after, open } = await log.readMap();
    expect([after, open.length]).toEqual([version + 1, 3]);
    expect(await log.reshard({ kind: "split", shardId: "2" }, version)).toBe(false);
  });
});
