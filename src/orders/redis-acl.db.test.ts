import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RedisDeadLetterStream } from "../aggregate/dead-letter-stream";
import { RedisOrderedOutput } from "../aggregate/ordered-output";
import { END } from "../domain/orders/order-log";
import { headKey, logSourceKey, orderedKey, watermarkTurnsKey } from "../store/order-keys";
import { UNGUARDED } from "../store/owner-guard";
import { PartitionLeases } from "../store/partition-leases";
import { RedisProducerRegistry } from "../store/producer-registry";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { TestRedis } from "../testing/test-redis";
import { requireSource } from "./log-source";
import { NO_LIMITS, RedisLog } from "./redis-log";

const ACL = readFileSync(join(import.meta.dirname, "../../docs/redis-users.acl"), "utf8");
let server: TestRedis;
const clients: RedisClient[] = [];

/** A client as a user of docs/redis-users.acl, without the BF.* commands, which a plain Redis doesn't know. */
async function clientAs(user: string): Promise<RedisClient> {
  const line = ACL.split("\n").find(text => text.startsWith(`user ${user} `))!;
  const rules = line
    .match(/\([^)]*\)|\S+/g)!
    .slice(2)
    .filter(rule => !rule.startsWith("+bf."));
  await server.ask("ACL", "SETUSER", user, ...rules.map(rule => rule.replace(/^>.*/, ">secret")));
  const url = server.url.replace("redis://", `redis://${user}:secret@`);
  const client = createRedis(
    { url, connectionName: "test", commandTimeoutMs: 5_000, guard: UNGUARDED },
    () => {},
  );
  clients.push(client);
  await redisIsReady(client, 5_000);
  return client;
}

beforeAll(async () => {
  server = await TestRedis.start();
});
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await server.remove();
});

it.each(["gate", "relay", "filter", "orders"])(
  "the user %s can neither list keys nor manage Redis",
  async name => {
    const client = await clientAs(name);
    const calls = [
      ["KEYS", "*"],
      ["SCAN", "0"],
      ["RANDOMKEY"],
      ["DBSIZE"],
      ["FLUSHALL"],
      ["FLUSHDB"],
      ["SWAPDB", "0", "1"],
      ["MIGRATE", "127.0.0.1", "1", "a", "0", "10"],
      ["CONFIG", "GET", "*"],
      ["ACL", "LIST"],
      ["CLIENT", "LIST"],
      ["MONITOR"],
      ["SHUTDOWN"],
      ["GET", "somebody:elses"],
    ];
    for (const [command, ...args] of calls)
      await expect(client.call(command!, ...args), command).rejects.toThrow(/NOPERM/);
  },
);

it("the users of production may run the order commands of their processes, and no others", async () => {
  const [worker, gate] = [await clientAs("orders"), await clientAs("gate")];
  const log = new RedisLog(worker, { log: "orders", limits: NO_LIMITS });
  await log.create(2);
  const registry = new RedisProducerRegistry(gate, "orders");
  const joined = await registry.join(1);
  const { producer, startUs } = joined;
  const seen = { throughUs: startUs + 5, mapVersion: 1, except: {} };
  expect(await registry.publish(joined, seen)).toMatchObject({ joined: true });
  const records = [{ partitionKey: "DOGE", data: Buffer.from("x") }];
  const append = { shardId: "0", producer, firstNumber: 1, records };
  const asServer = new RedisLog(gate, { log: "orders", limits: NO_LIMITS });
  expect((await asServer.append(append)).outcome).toBe("ok");

  const own = new RedisProducerRegistry(worker, "orders");
  await own.noteUnregistered();
  await own.setPaused(["DOGE"], 1_000);
  await own.raise({ producer: 1, lastUs: 1 });
  expect((await own.view(200_000)).producers).toHaveLength(1);
  await log.appendWatermark("0", Buffer.from("watermark"), { readAtUs: 5, minIntervalUs: 0 });
  // The commands of a log in Kinesis.
  expect(await worker.watermarkTurns(watermarkTurnsKey("orders"), 0, "0", 5)).toEqual([1]);
  await worker.hdel(watermarkTurnsKey("orders"), "0");
  await worker.set(logSourceKey("other"), "Kinesis trades", "NX");
  await expect(requireSource(gate, "other", "Kinesis trades")).resolves.toBeUndefined();
  await expect(requireSource(gate, "orders", "Kinesis trades")).rejects.toThrow("is in Redis");
  await log.fence("0", producer);
  expect(await own.evict(producer, 0)).toBe(false);
  expect((await log.read(new Map([["0", ""]]), 10))[0]!.records).toHaveLength(2);
  // The change of an operator, from the console.
  const { version } = await asServer.readMap();
  expect(await asServer.reshard({ kind: "split", shardId: "1" }, version)).toBe(true);
  await log.trim(new Map([["1", END]]));

  const leases = new PartitionLeases(worker, { log: "orders", kind: "aggregator", owner: "a", ttlMs: 1_000 });
  expect((await leases.renew()).size).toBe(8);
  const output = new RedisOrderedOutput(worker, "orders");
  await output.claim("DOGE", 1);
  await output.writeCheckpoint(0, 1, new Map([["0", "1-0/1"]]));
  expect(await output.readCheckpoint(0)).toEqual(new Map([["0", "1-0/1"]]));
  await worker.outputPassed(orderedKey("orders", 0, "DOGE"), headKey("orders", 0, "DOGE"), 1, 1);
  const deadLetters = new RedisDeadLetterStream(worker, "orders");
  const deadLetter = { id: "1", reason: "late" as const, event: {} };
  expect([await deadLetters.add([deadLetter]), await deadLetters.add([deadLetter])]).toEqual([1, 0]);
  await leases.release();
  await registry.leave(joined);

  await expect(worker.get("bf:usernames:pointer")).rejects.toThrow("NOPERM");
  await expect(gate.unlink("orders:{orders}:shards")).rejects.toThrow("NOPERM");
});
