import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { AggregatorStatusStore } from "../aggregate/aggregator-status-store";
import type { ReshardableLog } from "../domain/orders/order-log";
import { compareStamps } from "../domain/orders/order-stamp";
import type { ShardChange } from "../domain/orders/shard-change";
import { seededRandom } from "../domain/seeded-random";
import { openOrderLog } from "../orders/open-order-log";
import { PlanBook } from "../orders/plan-book";
import type { ProducerLoops } from "../orders/producer-loops";
import { changeShards } from "../services/shards/change-shards";
import { deadLettersKey } from "../store/order-keys";
import { type PutRecord, partialFailures, randomFaults } from "../testing/kinesis-faults";
import { KinesisProxy } from "../testing/kinesis-proxy";
import { anOrder, LOG, OrderFixture } from "../testing/order-fixture";
import { readOrdered } from "../testing/read-ordered";
import { AWS_ENV, TestKinesis } from "../testing/test-kinesis";
import { waitFor } from "../testing/wait-for";
import { WorkerProcess } from "../testing/worker-process";

const STREAM = "orders";
/** The emulator answers a few dozen calls a second, and this machine does other things as well. */
const SLOW = { ORDER_WATERMARK_INTERVAL_MS: "250", ORDER_SILENCE_MS: "5000" };

let fixture: OrderFixture;
let kinesis: TestKinesis;
let proxy: KinesisProxy;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  [fixture, kinesis] = await Promise.all([OrderFixture.start({ shards: 0 }), TestKinesis.start()]);
  proxy = await KinesisProxy.start(kinesis.url);
  await kinesis.createStream(STREAM, 3);
});
afterEach(() => {
  proxy.hooks = {};
});
afterAll(async () => {
  await fixture.stop();
  for (const close of closing) await close();
  await proxy.stop();
  await kinesis.stop();
});

const env = () => ({ ORDER_LOG: "kinesis", KINESIS_STREAM: STREAM, KINESIS_ENDPOINT: proxy.url, ...SLOW });

/** A log of the process's own: what one knows of the stream's shards the other has to find out. */
function openLog(endpoint = proxy.url): ReshardableLog {
  const { log, close } = openOrderLog(
    {
      ORDER_LOG: "kinesis",
      ORDER_LOG_NAME: LOG,
      ORDER_LIMITS: "on",
      KINESIS_STREAM: STREAM,
      KINESIS_ENDPOINT: endpoint,
    },
    { redis: fixture.redis, onProblem: () => {} },
  );
  closing.push(close);
  return log;
}

/** As an operator in the console, whose calls no fault meets. */
async function changeAsOperator(change: ShardChange): Promise<void> {
  const orderLog = openLog(kinesis.url);
  const { version } = await orderLog.readMap();
  const deps = { prisma: fixture.database.prisma, orderLog, plans: fixture.plans };
  const actor = { kind: "user" as const, id: "1", name: "mia", role: "trader" };
  const audit = { actor, action: "shards.change", requestId: null, address: null };
  const changed = await changeShards(deps, audit, { change, expectedVersion: version, reason: "a launch" });
  expect(changed).toMatchObject({ isComplete: true });
}

const idsOf = async (symbol: string) =>
  (await readOrdered(fixture.redis, LOG, symbol)).map(one => one.orderId);
const deadLetters = () => fixture.redis.xlen(deadLettersKey(LOG));

async function orderedOnce(symbol: string, submitted: readonly string[]): Promise<void> {
  await waitFor(
    `${submitted.length} orders of ${symbol} in order`,
    async () => (await idsOf(symbol)).length >= submitted.length,
    90_000,
  );
  const ordered = await readOrdered(fixture.redis, LOG, symbol);
  expect(ordered.map(({ orderId }) => orderId).sort()).toEqual([...submitted].sort());
  for (let i = 1; i < ordered.length; i += 1)
    expect(compareStamps(ordered[i - 1]!.stamp, ordered[i]!.stamp)).toBeLessThan(0);
  expect(await deadLetters()).toBe(0);
}

async function submit(producer: ProducerLoops, symbol: string, count: number, ids: string[]): Promise<void> {
  const orders = Array.from({ length: count }, () => anOrder({ symbol }));
  ids.push(...orders.map(({ orderId }) => orderId));
  await (await producer.submit(orders)).durable;
}

/** All shards together. */
async function polledTimes(times: number): Promise<void> {
  const before = proxy.countOf("GetRecords");
  await waitFor(`${times} looks at shards`, () => proxy.countOf("GetRecords") - before >= times);
}

describe("orders through Kinesis", { timeout: 240_000 }, () => {
  it("are stored once each when records of a call fail, and never overtake one of their sub-key", async () => {
    const aggregator = fixture.aggregator(env());
    const attempts: number[] = [];
    const isOrder = ({ ExplicitHashKey }: PutRecord) => ExplicitHashKey === undefined;
    let calls = 0;
    proxy.hooks = partialFailures(records => {
      if (!records.every(isOrder)) return [];
      calls += 1;
      if (calls === 1) return [1];
      return calls === 2 ? [0] : [];
    });
    const producer = fixture.producer({
      log: openLog(),
      settings: { maxOrdersPerRecord: 1 },
      onAppend: (_, __, records) => attempts.push(records.length),
    });
    // Three symbols of one shard.
    const symbols = ["BTC", "SOL", "ADA", "BTC", "SOL"];
    const orders = symbols.map(symbol => anOrder({ symbol }));
    await (await producer.submit(orders)).durable;
    // A call has one record of each sub-key: the second of SOL waits for its first.
    expect(attempts).toEqual([3, 1, 1, 2]);
    for (const symbol of new Set(symbols)) {
      const ids = orders.filter(order => order.symbol === symbol).map(({ orderId }) => orderId);
      await orderedOnce(symbol, ids);
      expect(await idsOf(symbol)).toEqual(ids);
    }
    await producer.stop(5_000);
    await aggregator.stop();
  });

  it("are pushed to an aggregator that is a consumer of the stream", async () => {
    // The proxy passes whole answers only.
    const aggregator = fixture.aggregator({
      ...env(),
      KINESIS_ENDPOINT: kinesis.url,
      KINESIS_READER: "fanout",
    });
    const producer = fixture.producer({ log: openLog() });
    const ids: string[] = [];
    for (let round = 0; round < 5; round += 1) await submit(producer, "XRP", 20, ids);
    await orderedOnce("XRP", ids);
    await producer.stop(5_000);
    await aggregator.stop();
  });

  it("have no lag while there are none", async () => {
    const aggregator = fixture.aggregator(env());
    const status = new AggregatorStatusStore(fixture.redis, LOG);
    const lags = new Set<string>();
    await waitFor("it to say three times how it is", async () => {
      for (const { atMs, lagMs, slowestProducer } of await status.read()) {
        if (lagMs !== null) lags.add(`${atMs}: ${lagMs} ${slowestProducer}`);
      }
      return lags.size >= 3;
    });
    expect(new Set([...lags].map(line => line.split(": ")[1]))).toEqual(new Set(["0 null"]));
    await aggregator.stop();
  });

  it("are complete, once and in order while plans and shards change and everything fails now and then", async () => {
    const start = () => new WorkerProcess("aggregator", { ...fixture.env, ...AWS_ENV, ...env() });
    let aggregator = start();
    closing.push(() => aggregator.end("SIGKILL"));
    proxy.hooks = randomFaults(seededRandom(7));
    const producers = [openLog(), openLog()].map(log => fixture.producer({ log }));
    const ids: string[] = [];
    const steps: (() => Promise<unknown>)[] = [
      () => fixture.split("DOGE", 3),
      () => changeAsOperator({ kind: "split", shardId: "0" }),
      // The next one goes on from the last checkpoint.
      async () => {
        await aggregator.end("SIGKILL");
        aggregator = start();
      },
      () => changeAsOperator({ kind: "merge", shardId: "3", neighbourId: "4" }),
      () => fixture.split("DOGE", 1),
    ];
    for (let round = 0; round < 36; round += 1) {
      await Promise.all(producers.map(producer => submit(producer, "DOGE", 20, ids)));
      if (round % 7 === 3) await steps.shift()!();
    }
    expect(steps).toEqual([]);
    await orderedOnce("DOGE", ids);
    const map = await openLog().readMap();
    expect(map.open.map(({ id }) => id).sort()).toEqual(["1", "2", "5"]);
    await Promise.all(producers.map(producer => producer.stop(5_000)));
    expect(await aggregator.end("SIGTERM")).toBe(0);
  });

  it("keep their order while a shard lags and the split changes, one producer after the other", async () => {
    const aggregator = fixture.aggregator(env());
    const lagging = new Set<string>();
    const shardOf = new Map<string, string>();
    proxy.hooks = {
      before({ action, body }) {
        const isDelayed =
          action === "GetRecords" && lagging.has(shardOf.get(String(body.ShardIterator)) ?? "");
        if (!isDelayed) return undefined;
        const again = { NextShardIterator: body.ShardIterator };
        return { status: 200, body: { Records: [], MillisBehindLatest: 30_000, ...again } };
      },
      after({ action, body }, answer) {
        // Iterators are opaque: the proxy remembers whose they are.
        const next = answer.body.NextShardIterator ?? answer.body.ShardIterator;
        const shard = action === "GetShardIterator" ? body.ShardId : shardOf.get(String(body.ShardIterator));
        if (next !== undefined && shard !== undefined) shardOf.set(String(next), String(shard));
        return answer;
      },
    };
    const slowPlans = new PlanBook(fixture.database.pool);
    await slowPlans.refresh();
    const [quick, slow] = [
      fixture.producer({ log: openLog() }),
      fixture.producer({ log: openLog(), plans: slowPlans }),
    ];
    const log = openLog();
    const subKeyShards = async (plans: PlanBook) => plans.subKeysOf("ETH", await log.readMap());
    const nameOf = (id: string) => `shardId-${id.padStart(12, "0")}`;
    const ids: string[] = [];
    await submit(quick, "ETH", 1, ids);
    await orderedOnce("ETH", ids);

    const [first] = await subKeyShards(fixture.plans);
    lagging.add(nameOf(first!.shardId));
    await submit(quick, "ETH", 2, ids);
    await fixture.split("ETH", 3);
    await submit(quick, "ETH", 3, ids);
    // This one has not heard of the split.
    await submit(slow, "ETH", 1, ids);
    // Orders of the other shards are not released before the lagging shard has delivered its watermark.
    await polledTimes(24);
    expect(await idsOf("ETH")).toEqual(ids.slice(0, 1));
    lagging.clear();
    await orderedOnce("ETH", ids);
    expect(await idsOf("ETH")).toEqual(ids);

    // Shrinking: what lies on a sub-key that is used no more is read all the same.
    const last = (await subKeyShards(fixture.plans)).find(({ shardId }) => shardId !== first!.shardId)!;
    lagging.add(nameOf(last.shardId));
    await submit(quick, "ETH", 30, ids);
    await fixture.split("ETH", 1);
    await slowPlans.refresh();
    await submit(quick, "ETH", 2, ids);
    await submit(slow, "ETH", 2, ids);
    await polledTimes(24);
    expect((await idsOf("ETH")).length).toBeLessThan(ids.length);
    lagging.clear();
    await orderedOnce("ETH", ids);
    expect(await idsOf("ETH")).toEqual(ids);
    await Promise.all([quick.stop(5_000), slow.stop(5_000)]);
    await aggregator.stop();
  });
});
