import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connect, TestRedis } from "../testing/test-redis";
import { GUARDED_SCRIPTS } from "./lua-scripts";
import { NotOwnerError } from "./owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "./redis";

const TAG = "orders:{t}";
const OWN = "1 inst 7/1";

let server: TestRedis;
let redis: RedisClient;
let mark = "";

beforeAll(async () => {
  server = await TestRedis.start();
  const guard = { mark: () => mark, owns: () => true, isOwner: true };
  redis = createRedis({ url: server.url, connectionName: "t", commandTimeoutMs: 5_000, guard }, () => {});
  await redisIsReady(redis, 10_000);
});
afterAll(async () => {
  redis.disconnect();
  await server.remove();
});
beforeEach(async () => {
  await redis.flushall();
  mark = OWN;
});

const held = () => redis.get(`${TAG}:owner`);
const write = () => redis.write(`${TAG}:x`, "INCR");

describe("a script that writes", () => {
  it("marks its hash tag once, and sees its own keys and arguments alone", async () => {
    expect(await write()).toBe(1);
    expect(await held()).toBe(OWN);
    expect(await write()).toBe(2);
    expect(await redis.addRollups(2, "{telemetry}:n", "{telemetry}:h", 1, 60, 2, "sum", "a", 5)).toBe(1);
    expect(await redis.hgetall("{telemetry}:h")).toEqual({ a: "5" });
    expect(await redis.get("{telemetry}:owner")).toBe(OWN);
  });

  it.each(GUARDED_SCRIPTS)("is refused before it does anything: %s", async (name, numberOfKeys) => {
    await redis.set(`${TAG}:owner`, OWN);
    mark = "1 other 8/1";
    const keys = Array.from({ length: numberOfKeys ?? 1 }, (_, index) => `${TAG}:${index}`);
    const script = redis[name as "write"];
    const call = script(...(numberOfKeys === null ? [1] : []), ...keys, 1, 1, 1, 1, 1);
    await expect(call).rejects.toThrow(`OTHEROWNER ${OWN}`);
    await expect(call).rejects.toBeInstanceOf(NotOwnerError);
    expect(await redis.keys("*")).toEqual([`${TAG}:owner`]);
  });

  it("refuses the same database of another server, and the same server's copy", async () => {
    await write();
    for (const other of ["1 inst 8/1", "1 inst 7/2", "1 inst2 7/1"]) {
      mark = other;
      await expect(write()).rejects.toThrow("OTHEROWNER");
    }
    expect(await redis.get(`${TAG}:x`)).toBe("1");
  });

  it("takes a hash tag over with a later epoch, and the earlier owner is refused from then on", async () => {
    await write();
    mark = "2 other 8/1";
    await write();
    expect(await held()).toBe("2 other 8/1");
    mark = OWN;
    await expect(write()).rejects.toThrow("OTHEROWNER 2 other 8/1");
  });

  it("goes on in an epoch of its own that another process has already raised", async () => {
    mark = "3 inst 7/1";
    await write();
    mark = OWN;
    expect(await write()).toBe(2);
    expect(await held()).toBe("3 inst 7/1");
  });

  it.each(["garbage", "99999999999999999999", ""])("does not trust the mark “%s”", async forged => {
    await redis.set(`${TAG}:owner`, forged);
    await expect(write()).rejects.toThrow("OTHEROWNER");
    expect(await redis.exists(`${TAG}:x`)).toBe(0);
  });

  it("does not trust a mark of another type", async () => {
    await redis.hset(`${TAG}:owner`, "a", "b");
    await expect(write()).rejects.toThrow("OTHEROWNER");
  });

  it("marks again what was emptied", async () => {
    await write();
    await redis.flushall();
    await write();
    expect(await held()).toBe(OWN);
  });

  it("compares nothing for a client without an owner", async () => {
    const plain = await connect(server.url);
    await write();
    expect(await plain.write(`${TAG}:x`, "INCR")).toBe(2);
    plain.disconnect();
  });
});
