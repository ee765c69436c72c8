import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { shardMapKey } from "../store/order-keys";
import { type BenchFixture, openBenchFixture, stop } from "./bench-fixture";
import { Disturbance } from "./orders/disturbance";
import type { Job, Report, RoleAnswer } from "./orders/job";
import { repeatDisturbed } from "./orders/repeat-disturbed";
import { StallWatch } from "./orders/stall-watch";
import { type BenchResult, median } from "./result";

const SYMBOL = "DOGE";
const SHARDS = 5;
const ROUNDS = 3;
const FULL = { packed: 1_000_000, plain: 150_000, log: 1_000_000 };
const STEADY = { rate: 20_000, seconds: 6 };
const ORDERS_PER_RECORD = 200;
/** Every wait is bounded: for the next order, for a process to start, and for a side. */
const QUIET_MS = 30_000;
const START_TIMEOUT_MS = 60_000;
const SIDE_TIMEOUT_MS = 240_000;

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

type Outcome = { ordersPerSecond: number; p50: number; p99: number; disturbances: string[] };

/**
 * Producer to engine input against the article's plain pipeline, and the log with the aggregator against
 * Redis alone with the same bytes. Each side is two processes and, where there is one, the aggregator;
 * limits are off. Latency is from submission to the engine's input. Every wait is bounded; a side that the
 * machine disturbed, such as by a fence of the feeder, is run again.
 * @throws Error with the reason of a side that was disturbed three times, or that failed
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
    const disturbances: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const outcomes = {} as Record<keyof typeof SIDES, Outcome>;
      for (const [name, side] of Object.entries(SIDES)) {
        const part = `${name}, round ${round + 1}`;
        const run = async () => {
          await redis.flushall();
          return runSide(fixture, side, `bench-${round}`);
        };
        const outcome = await repeatDisturbed(part, run, disturbances);
        outcomes[name as keyof typeof SIDES] = outcome;
        for (const text of outcome.disturbances) disturbances.push(`${part}: ${text}`);
      }
      rounds.push(outcomes);
    }
    const over = (read: (outcomes: (typeof rounds)[0]) => number) => median(rounds.map(read));
    return {
      bench: "orders",
      disturbances,
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
        vsRawLog: { value: over(r => r.log.ordersPerSecond / r.raw.ordersPerSecond), atLeast: 0.3 },
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
    quietMs: QUIET_MS,
  };
  const running: ChildProcess[] = [];
  try {
    if (side.aggregates) running.push(await startAggregator(fixture, job));
    const reader = startRole(side.reader, job);
    const writer = startRole(side.writer, job);
    running.push(reader.child, writer.child);
    await Promise.all([reader.ready, writer.ready]);
    if (side.aggregates) await logIsThere(redisUrl, log);
    const stalls = new StallWatch();
    const [read, written] = await Promise.all([go(reader), go(writer)]).finally(() => stalls.stop());
    const seconds = (read.endUs! - written.startUs!) / 1_000_000;
    return {
      ordersPerSecond: side.orders / seconds,
      p50: read.latenciesMs?.p50 ?? 0,
      p99: read.latenciesMs?.p99 ?? 0,
      disturbances: [stalls.disturbance, written.disturbance].filter(text => text !== undefined),
    };
  } finally {
    await Promise.all(running.map(stop));
  }
}

function startAggregator(fixture: BenchFixture, { databaseUrl, redisUrl, log }: Job): Promise<ChildProcess> {
  return fixture.run(["dist/aggregator.js"], {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ORDER_LOG_NAME: log,
    ORDER_SHARDS: String(SHARDS),
    ORDER_LIMITS: "off",
    ORDER_MAX_UNREAD: "100000000",
  });
}

/** One process of a side. `ready` rejects when it ends, or does not start in time. */
type RoleProcess = { name: string; child: ChildProcess; ready: Promise<unknown> };

function startRole(name: string, job: Job): RoleProcess {
  const child = fork(join(import.meta.dirname, "orders/role.ts"), [name, JSON.stringify(job)], {
    execArgv: ["--import", "tsx"],
  });
  return { name, child, ready: nextMessage({ name, child }, START_TIMEOUT_MS) };
}

async function go({ name, child }: RoleProcess): Promise<Report> {
  child.send("go");
  const answer = (await nextMessage({ name, child }, SIDE_TIMEOUT_MS)) as RoleAnswer;
  if ("report" in answer) return answer.report;
  const failure = `${name}: ${answer.failure}`;
  throw answer.isDisturbance ? new Disturbance(failure) : new Error(failure);
}

/** @throws Error when the process ends first, Disturbance when nothing comes in time */
async function nextMessage({ name, child }: Omit<RoleProcess, "ready">, timeoutMs: number): Promise<unknown> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const message = once(child, "message", { signal }).then(([value]) => value);
  const ended = once(child, "exit", { signal }).then(([code, killedBy]) => {
    throw new Error(`${name} ended with ${code ?? killedBy}`);
  });
  const late = sleep(timeoutMs, undefined, { signal }).then(() => {
    throw new Disturbance(`${name} did not answer within ${timeoutMs / 1_000} s`);
  });
  try {
    return await Promise.race([message, ended, late]);
  } finally {
    for (const promise of [message, ended, late]) promise.catch(() => {});
    waiting.abort();
  }
}

async function logIsThere(redisUrl: string, log: string): Promise<void> {
  const redis = new Redis(redisUrl);
  try {
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (!(await redis.exists(shardMapKey(log)))) {
      if (performance.now() > deadline)
        throw new Disturbance(`the aggregator made no log within ${START_TIMEOUT_MS / 1_000} s`);
      await sleep(25);
    }
  } finally {
    redis.disconnect();
  }
}
