import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { percentile } from "../domain/percentile";
import { freePort } from "../runtime/ports";
import { TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import { UNGUARDED } from "./owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "./redis";

let server: TestRedis;
let redis: RedisClient;
let errors: Error[];

beforeEach(async () => {
  server = await TestRedis.start();
  redis = open(server.url);
  expect(await redisIsReady(redis, 20_000)).toBe(true);
});
afterEach(async () => {
  redis.disconnect();
  await server.remove();
});

function open(url: string, commandTimeoutMs = 300): RedisClient {
  errors = [];
  return createRedis(
    { url, connectionName: "test", commandTimeoutMs, guard: UNGUARDED },
    error => void errors.push(error),
  );
}

/** Milliseconds until each of 30 commands was refused, one after the other; the median. */
async function medianRefusalMs(client: RedisClient): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 30; i += 1) {
    const start = performance.now();
    await expect(client.incr("counter")).rejects.toThrow();
    times.push(performance.now() - start);
  }
  return percentile(times, 0.5);
}

/** Commands the client still holds for later. */
function queuedCommands(client: RedisClient): number {
  const { commandQueue, offlineQueue } = client as unknown as Record<string, { length: number }>;
  return (commandQueue?.length ?? 0) + (offlineQueue?.length ?? 0);
}

async function calls(command: string): Promise<number> {
  const stats = String(await server.ask("INFO", "commandstats"));
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
}

describe("a Redis client", () => {
  it("refuses commands at once while Redis is down, and replays none of them", async () => {
    await server.kill();
    expect(await medianRefusalMs(redis)).toBeLessThan(100);
    await Promise.allSettled(Array.from({ length: 500 }, () => redis.incr("counter")));
    expect(queuedCommands(redis)).toBe(0);
    await server.run();
    expect(await redisIsReady(redis, 20_000)).toBe(true);
    expect(await redis.get("counter")).toBeNull();
    expect(await calls("incr")).toBe(0);
    expect(await redis.incr("counter")).toBe(1);
  });

  it("refuses commands at once while Redis has not started, and connects once it has", async () => {
    const port = await freePort();
    const early = open(`redis://127.0.0.1:${port}`);
    expect(await medianRefusalMs(early)).toBeLessThan(100);
    expect(queuedCommands(early)).toBe(0);
    expect(await redisIsReady(early, 200)).toBe(false);
    await waitFor("an error to be reported", () => errors.length > 0);
    early.disconnect();
  });

  it("times out on a silent server, and keeps no command in memory", async () => {
    server.pause();
    const start = performance.now();
    const replies = await Promise.allSettled(Array.from({ length: 200 }, () => redis.get("name")));
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(new Set(replies.map(reply => reply.status))).toEqual(new Set(["rejected"]));
    await waitFor("the silent connection to be cut", () => queuedCommands(redis) === 0);
    server.resume();
    expect(await redisIsReady(redis, 20_000)).toBe(true);
    expect(await redis.set("name", "value")).toBe("OK");
  });

  it("does not repeat commands that were in flight when the connection broke", async () => {
    const popping = redis.blpop("list", 0).catch((error: Error) => error);
    await waitFor("the server to hold it", async () =>
      /^blocked_clients:1\r?$/m.test(String(await server.ask("INFO", "clients"))),
    );
    await server.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    expect(await popping).toBeInstanceOf(Error);
    expect(await redisIsReady(redis, 20_000)).toBe(true);
    expect(await calls("blpop")).toBe(1);
    expect(String(await server.ask("INFO", "clients"))).toMatch(/^blocked_clients:0\r?$/m);
  });

  it("rejects a write to a node that turned read-only, and reconnects", async () => {
    const before = await redis.client("ID");
    await server.ask("REPLICAOF", "127.0.0.1", "1");
    await expect(redis.set("name", "value")).rejects.toThrow(/READONLY/);
    await waitFor("another connection", async () => {
      const id = await redis.client("ID").catch(() => before);
      return id !== before;
    });
    await server.ask("REPLICAOF", "NO", "ONE");
    await waitFor("writes to be taken", async () => {
      const reply = await redis.set("name", "value").catch(() => null);
      return reply === "OK";
    });
  });
});
