import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Redis } from "ioredis";
import { type BenchFixture, openBenchFixture, stop } from "./bench-fixture";
import type { Job, Report } from "./orders/job";
import { type BenchResult, median } from "./result";

const SYMBOL = "DOGE";
const SHARDS = 5;
const ROUNDS = 3;
const FULL = { packed: 1_000_000, plain: 150_000, log: 1_000_000 };
const STEADY = { rate: 20_000, seconds: 6 };
const ORDERS_PER_RECORD = 200;

type Side = { writer: string; reader: string; orders: number; rate: number; aggregates: boolean };

export const SIDES = {
  packed: {
    writer: "packed-producer",
    reader: "aggregated-sink",
    orders: FULL.packed,
    rate: 0,
    aggregates: true,
  },
  plain: {
    writer: "plain-producer",
    reader: "plain-consumer",
    orders: FULL.plain,
    rate: 0,
    aggregates: false,
  },
  log: { writer: "feeder", reader: "frame-sink", orders: FULL.log, rate: 0, aggregates: true },
  raw: { writer: "raw-writer", reader: "raw-reader", orders: FULL.log, rate: 0, aggregates: false },
  packedSteady: {
    writer: "packed-producer",
    reader: "aggregated-sink",
    aggregates: true,
    orders: STEADY.rate * STEADY.seconds,
    rate: STEADY.rate,
  },
  plainSteady: {
    writer: "plain-producer",
    reader: "plain-consumer",
    aggregates: false,
    orders: STEADY.rate * STEADY.seconds,
    rate: STEADY.rate,
  },
} satisfies Record<string, Side>;

type Outcome = { ordersPerSecond: number; p50: number; p99: number };

/**
 * Producer to engine input against the article's plain pipeline, and the log with the aggregator against
 * Redis alone with the same bytes. Each side is two processes and, where there is one, the aggregator;
 * limits are off. Latency is from submission to the engine's input.
 */
export async function benchOrders(): Promise<BenchResult> {
  const fixture = await openBenchFixture();
  const redis = new Redis(fixture.redisUrl);
  try {
    await fixture.pool.query(
      `INSERT INTO split_plans (symbol, epoch, factor, strategy, placement, reason, set_by, set_at)
       VALUES ($1, 1, $2, 'random', 'planned', 'bench', 'bench', now())`,
      [SYMBOL, SHARDS],
    );
    const rounds: Record<keyof typeof SIDES, Outcome>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const outcomes = {} as Record<keyof typeof SIDES, Outcome>;
      for (const [name, side] of Object.entries(SIDES)) {
        await redis.flushall();
        outcomes[name as keyof typeof SIDES] = await runSide(fixture, side, `bench-${round}`);
      }
      rounds.push(outcomes);
    }
    const over = (read: (outcomes: (typeof rounds)[0]) => number) => median(rounds.map(read));
    return {
      bench: "orders",
      rates: {
        ordersPerSecond: over(r => r.packed.ordersPerSecond),
        plainOrdersPerSecond: over(r => r.plain.ordersPerSecond),
        logAndAggregatorPerSecond: over(r => r.log.ordersPerSecond),
        rawLogPerSecond: over(r => r.raw.ordersPerSecond),
        latencyP50Ms: over(r => r.packedSteady.p50),
        latencyP99Ms: over(r => r.packedSteady.p99),
        plainLatencyP50Ms: over(r => r.plainSteady.p50),
        plainLatencyP99Ms: over(r => r.plainSteady.p99),
      },
      ratios: {
        vsPlain: { value: over(r => r.packed.ordersPerSecond / r.plain.ordersPerSecond), atLeast: 5 },
        vsRawLog: { value: over(r => r.log.ordersPerSecond / r.raw.ordersPerSecond), atLeast: 0.25 },
        latencyP50VsPlain: { value: over(r => r.packedSteady.p50 / r.plainSteady.p50), atMost: 0.2 },
        latencyP99VsPlain: { value: over(r => r.packedSteady.p99 / r.plainSteady.p99), atMost: 0.5 },
      },
    };
  } finally {
    redis.disconnect();
    await fixture.close();
  }
}

export async function runSide(fixture: BenchFixture, side: Side, log: string): Promise<Outcome> {
  const { databaseUrl, redisUrl } = fixture;
  const job: Job = {
    redisUrl,
    databaseUrl,
    log,
    symbol: SYMBOL,
    shards: SHARDS,
    orders: side.orders,
    rate: side.rate,
    ordersPerRecord: ORDERS_PER_RECORD,
    baseUs: Math.floor((performance.timeOrigin + performance.now()) * 1_000),
  };
  const aggregator = side.aggregates
    ? await fixture.run(["dist/aggregator.js"], {
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        ORDER_LOG_NAME: log,
        ORDER_SHARDS: String(SHARDS),
        ORDER_LIMITS: "off",
        ORDER_MAX_UNREAD: "100000000",
      })
    : null;
  const reader = await startRole(side.reader, job);
  const writer = await startRole(side.writer, job);
  if (aggregator) await logIsThere(redisUrl, log);
  const [read, written] = await Promise.all([go(reader), go(writer)]);
  if (aggregator) await stop(aggregator);
  const seconds = (read.endUs! - written.startUs!) / 1_000_000;
  return {
    ordersPerSecond: side.orders / seconds,
    p50: read.latenciesMs?.p50 ?? 0,
    p99: read.latenciesMs?.p99 ?? 0,
  };
}

async function startRole(role: string, job: Job): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, "orders/role.ts"), [role, JSON.stringify(job)], {
    execArgv: ["--import", "tsx"],
  });
  await once(child, "message");
  return child;
}

async function go(child: ChildProcess): Promise<Report> {
  child.send("go");
  const report = once(child, "message").then(([message]) => message as Report);
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`a process of the benchmark ended with ${code}`);
  });
  ended.catch(() => {});
  return Promise.race([report, ended]);
}

async function logIsThere(redisUrl: string, log: string): Promise<void> {
  const redis = new Redis(redisUrl);
  for (let tries = 0; tries < 400 && !(await redis.exists(`orders:{${log}}:shards`)); tries += 1)
    await new Promise(resolve => setTimeout(resolve, 25));
  redis.disconnect();
}
