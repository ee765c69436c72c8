import { afterAll, beforeAll, expect, it } from "vitest";
import { NO_LIMITS, RedisLog } from "../../orders/redis-log";
import type { RedisClient } from "../../store/redis";
import { connect, TestRedis } from "../../testing/test-redis";
import { waitFor } from "../../testing/wait-for";
import { runAggregatedSink, runFrameSink } from "./aggregated-sink";
import { Disturbance } from "./disturbance";
import { runFeeder } from "./feeder";
import type { Job, Report } from "./job";
import { runPlainConsumer } from "./plain";
import { runRawReader } from "./raw";

let server: TestRedis;
let redis: RedisClient;

beforeAll(async () => {
  server = await TestRedis.start();
  redis = await connect(server.url, 5_000);
});
afterAll(async () => {
  redis.disconnect();
  await server.remove();
});

let serial = 0;
const jobOf = (change: Partial<Job> = {}): Job => {
  serial += 1;
  const job = { redisUrl: server.url, databaseUrl: "", log: `bench${serial}`, symbol: "DOGE", shards: 2 };
  return { ...job, orders: 400, ordersPerRecord: 2, rate: 0, baseUs: 0, quietMs: 300, ...change };
};
const logOf = async (job: Job): Promise<RedisLog> => {
  const log = new RedisLog(redis, { log: job.log, limits: NO_LIMITS });
  await log.create(job.shards);
  return log;
};

it.each([
  ["aggregated sink", runAggregatedSink],
  ["frame sink", runFrameSink],
  ["plain consumer", runPlainConsumer],
  ["raw reader", runRawReader],
] as [string, (job: Job, redis: RedisClient) => Promise<Report>][])(
  "the %s ends with a reason when nothing arrives any more",
  async (_, run) => {
    const job = jobOf();
    const ended = run(job, redis);
    await expect(ended).rejects.toBeInstanceOf(Disturbance);
    await expect(ended).rejects.toThrow("0 of ");
  },
);

it("the feeder brings every record into the log", async () => {
  const job = jobOf();
  const log = await logOf(job);
  expect(await runFeeder(job, redis)).toMatchObject({ startUs: expect.any(Number) });
  const batches = await log.read(
    new Map([
      ["0", ""],
      ["1", ""],
    ]),
    1_000,
  );
  expect(batches.map(({ records }) => records.length)).toEqual([100, 100]);
});

it("the feeder that is fenced ends with a reason, also when another shard still takes its records", async () => {
  const job = jobOf();
  const log = await logOf(job);
  // The feeder is the first producer of its log.
  await log.fence("1", 1);
  const ended = runFeeder(job, redis);
  await expect(ended).rejects.toBeInstanceOf(Disturbance);
  await expect(ended).rejects.toThrow(/fenced/);
  await waitFor("its timer to stop", async () => {
    const before = await redis.hget(`orders:{${job.log}}:registry`, "p:1");
    return before === (await redis.hget(`orders:{${job.log}}:registry`, "p:1"));
  });
});
