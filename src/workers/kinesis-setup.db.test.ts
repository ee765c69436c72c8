import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_LIMITS, RedisLog } from "../orders/redis-log";
import { logSourceKey } from "../store/order-keys";
import { LOG, OrderFixture } from "../testing/order-fixture";
import { AWS_ENV, TestKinesis } from "../testing/test-kinesis";
import { waitFor } from "../testing/wait-for";
import { WorkerProcess } from "../testing/worker-process";

let fixture: OrderFixture;
let kinesis: TestKinesis;
const workers: WorkerProcess[] = [];
beforeAll(async () => {
  [fixture, kinesis] = await Promise.all([OrderFixture.start({ shards: 0 }), TestKinesis.start()]);
  await kinesis.createStream("trades", 1);
});
afterAll(async () => {
  await Promise.all(workers.map(worker => worker.end("SIGKILL")));
  await fixture.stop();
  await kinesis.stop();
});

function start(env: Record<string, string>): WorkerProcess {
  const worker = new WorkerProcess("aggregator", {
    ...fixture.env,
    ...AWS_ENV,
    ORDER_LOG: "kinesis",
    ...env,
  });
  workers.push(worker);
  return worker;
}
async function exits(worker: WorkerProcess): Promise<string> {
  await waitFor("the aggregator to end", () => !worker.isRunning);
  expect(await worker.end("SIGKILL")).toBe(1);
  return worker.output;
}

describe("an aggregator on Kinesis", () => {
  it("requires the stream's name", async () => {
    expect(await exits(start({}))).toMatch(
      "KINESIS_STREAM: is missing. Set it to the name of an existing stream",
    );
  });

  it("does not start without its stream, and advises what to do", async () => {
    const output = await exits(start({ KINESIS_STREAM: "nowhere", KINESIS_ENDPOINT: kinesis.url }));
    expect(output).toMatch(/The Kinesis stream “nowhere”: .*create the stream, or correct KINESIS_STREAM/);
  });

  it("does not start without a region", async () => {
    const env = { KINESIS_STREAM: "trades", KINESIS_ENDPOINT: kinesis.url, AWS_REGION: "" };
    expect(await exits(start(env))).toMatch("Kinesis needs a region: set AWS_REGION.");
  });

  it("does not take over the name of a log in Redis", async () => {
    const env = { KINESIS_STREAM: "trades", KINESIS_ENDPOINT: kinesis.url, ORDER_LOG_NAME: "older" };
    await new RedisLog(fixture.redis, { log: "older", limits: NO_LIMITS }).create(2);
    expect(await exits(start(env))).toMatch(/The order log “older” is in Redis/);
  });

  it("takes the log's name for its stream, and refuses another one", async () => {
    const env = { KINESIS_STREAM: "trades", KINESIS_ENDPOINT: kinesis.url };
    const worker = start(env);
    const source = () => fixture.redis.get(logSourceKey(LOG));
    await waitFor("the name to be taken", async () => (await source()) === "Kinesis trades");
    expect(worker.isRunning).toBe(true);
    await kinesis.createStream("others", 1);
    expect(await exits(start({ ...env, KINESIS_STREAM: "others" }))).toMatch(
      /The order log “test” is in Kinesis trades, but this process is set to Kinesis others/,
    );
    expect(await exits(start({ ORDER_LOG: "redis" }))).toMatch(/is set to Redis\. Restore ORDER_LOG/);
  });
});
