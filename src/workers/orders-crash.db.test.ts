import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { seededRandom } from "../domain/seeded-random";
import { anOrder, LOG, MARKET_MAKER, OrderFixture } from "../testing/order-fixture";
import { ACCOUNTS, BATCH, type ProducerJob } from "../testing/order-producer-job";
import { stepRedisClock } from "../testing/step-redis-clock";
import { waitFor } from "../testing/wait-for";

/** `ORDERS_CRASH_SIZE=1000000` is the whole test; as many as fit into a minute run always. */
const SIZE = Number(process.env.ORDERS_CRASH_SIZE ?? 40_000);
const ORDERS_PER_SECOND = SIZE > 100_000 ? 6_000 : 3_000;
const TIMEOUT_MS = 120_000 + SIZE * 2;
const CYCLE = 12;
const ROUNDS = SIZE > 100_000 ? 3 * CYCLE : CYCLE;
const SYMBOLS = ["DOGE", "SOL"];
const FACTORS = [5, 2, 1, 4, 3];
/** Rounds of a cycle in which Redis dies, shards change, and the clock steps. */
const [REDIS_DIES, SHARDS_CHANGE, CLOCK_STEPS] = [[4, 9], [2, 6, 10], [7]];
const HOUR_US = 3_600_000_000;

let fixture: OrderFixture;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  fixture = await OrderFixture.start({ redisArgs: ["--appendonly", "yes", "--appendfsync", "always"] });
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await fixture.stop();
});

function run(args: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, ["--import", "tsx", ...args], {
    env: { PATH: process.env.PATH, NODE_ENV: "test", LOG_LEVEL: "error", ...env },
    stdio: ["ignore", "pipe", "ignore", "ipc"],
  });
  children.add(child);
  child.once("exit", () => children.delete(child));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "close");
  child.kill("SIGKILL");
  await gone;
}

/** Longer and shorter than the silence after which a producer is fenced. */
async function pause(child: ChildProcess, ms: number): Promise<void> {
  child.kill("SIGSTOP");
  await sleep(ms);
  child.kill("SIGCONT");
}

const startWorker = (name: "aggregator" | "engine") =>
  run([`src/workers/${name}.ts`], {
    ...fixture.env,
    ORDER_LIMITS: "off",
    ENGINE_SNAPSHOT_MS: "300",
    ENGINE_CREDIT_ACCOUNTS: MARKET_MAKER,
  });

/** What one server was asked for, over the lives of its process. */
class Client {
  /** First serials of batches, in the order in which they were sent first; true: answered. */
  readonly batches = new Map<number, boolean>();
  resent = 0;
  process!: ChildProcess;

  constructor(readonly name: string) {
    this.start();
  }

  start(): void {
    const { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl } = fixture.env;
    const unanswered = [...this.batches].filter(([, isDurable]) => !isDurable).map(([first]) => first);
    const job: ProducerJob = {
      redisUrl,
      databaseUrl,
      log: LOG,
      name: this.name,
      ordersPerSecond: ORDERS_PER_SECOND,
      nextSerial: this.batches.size * BATCH,
      unanswered,
    };
    this.process = run(["src/testing/order-producer-process.ts", JSON.stringify(job)]);
    let rest = "";
    this.process.stdout!.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.note(line);
    });
  }

  private note(line: string): void {
    const [what, text] = line.split(" ");
    const first = Number(text);
    if (what === "durable") this.batches.set(first, true);
    else if (this.batches.has(first)) this.resent += 1;
    else this.batches.set(first, false);
  }

  get durable(): number[] {
    return [...this.batches].filter(([, isDurable]) => isDurable).map(([first]) => first);
  }
}

/** Offers more of each symbol than all buyers together take. */
async function offer(): Promise<void> {
  const orders = SYMBOLS.map(symbol =>
    anOrder({ symbol, accountId: MARKET_MAKER, side: "sell", price: 100, quantity: 10 * SIZE }),
  );
  await (await fixture.producer().submit(orders)).durable;
}

/** Splits a shard in two, or merges the first two whose ranges meet. */
async function changeShards(round: number): Promise<void> {
  const { open } = await fixture.log.readMap();
  if (round !== SHARDS_CHANGE[1]) return fixture.log.splitShard(open[round % open.length]!.id);
  const sorted = [...open].sort((a, b) => (a.startHash < b.startHash ? -1 : 1));
  return fixture.log.mergeShards(sorted[0]!.id, sorted[1]!.id);
}

it("loses and repeats nothing, and keeps each account's order, when everything is killed and paused", {
  timeout: TIMEOUT_MS,
}, async () => {
  const random = seededRandom(7);
  await offer();
  const workers = { aggregator: startWorker("aggregator"), engine: startWorker("engine") };
  const clients = [new Client("a"), new Client("b")];
  const durableOrders = () => clients.reduce((sum, client) => sum + client.durable.length * BATCH, 0);
  const victims = ["aggregator", "engine", "client"] as const;
  for (let round = 0; round < ROUNDS || durableOrders() < SIZE; round += 1) {
    const goal = Math.min(SIZE, (SIZE / ROUNDS) * (round + 1));
    await waitFor(`${goal} durable orders`, () => durableOrders() >= goal, TIMEOUT_MS);
    for (const symbol of SYMBOLS) await fixture.split(symbol, FACTORS[round % FACTORS.length]!);
    const inCycle = round % CYCLE;
    if (SHARDS_CHANGE.includes(inCycle)) await changeShards(inCycle);
    if (CLOCK_STEPS.includes(inCycle)) await stepRedisClock(fixture.redis, LOG, -HOUR_US);
    if (REDIS_DIES.includes(inCycle)) {
      await fixture.server.kill();
      await fixture.server.run();
    }
    await pause(clients[round % 2]!.process, 300 + random() * 2_000);
    const victim = victims[round % 3]!;
    if (victim === "client") {
      const client = clients[Math.floor(random() * 2)]!;
      await kill(client.process);
      client.start();
    } else {
      await kill(workers[victim]);
      workers[victim] = startWorker(victim);
    }
  }
  for (const client of clients) client.process.kill("SIGTERM");
  await Promise.all(clients.map(client => client.process.exitCode ?? once(client.process, "close")));
  // 1 says that it could not make its orders durable; null that it had hardly begun.
  expect(clients.map(client => client.process.exitCode)).not.toContain(1);
  await everyOrderMatched(clients);
  await expectExact(clients);
});

async function everyOrderMatched(clients: readonly Client[]): Promise<void> {
  const names = clients.flatMap(({ name, durable }) => durable.map(() => name));
  const firsts = clients.flatMap(({ durable }) => durable);
  const { pool } = fixture.database;
  const missing = async () => {
    const { rows: stored } = await pool.query("SELECT count(*)::int AS count FROM engine_orders");
    if (stored[0].count < names.length * BATCH) return stored[0].count - names.length * BATCH;
    const { rows } = await pool.query(
      `SELECT count(*)::int AS missing
       FROM unnest($1::text[], $2::int[]) AS b(name, first), generate_series(0, $3::int - 1) AS i
       WHERE NOT EXISTS (SELECT FROM engine_orders o WHERE o.order_id = b.name || '-' || (b.first + i)
                           AND o.account_id = 'account' || i % $4::int)`,
      [names, firsts, BATCH, ACCOUNTS],
    );
    return rows[0].missing;
  };
  await waitFor("every durable order to be at the engine", async () => (await missing()) === 0, 120_000);
}

/** Nothing was executed twice, and each account's orders through one server are in their order. */
async function expectExact(clients: readonly Client[]): Promise<void> {
  const { pool } = fixture.database;
  const { rows: totals } = await pool.query(
    `SELECT sum(orders)::int AS arrivals, sum(trades)::int AS trades, sum(rejects)::int AS rejects,
       sum(violations)::int AS violations FROM engine_states`,
  );
  const { rows: bought } = await pool.query(
    `SELECT count(*)::int AS orders, count(*) FILTER (WHERE filled <> 1 OR reason IS NOT NULL)::int AS wrong
     FROM engine_orders WHERE account_id <> $1`,
    [MARKET_MAKER],
  );
  const { rows: turned } = await pool.query(
    `SELECT count(*)::int AS orders FROM (
       SELECT serial, max(serial) OVER (PARTITION BY symbol, account_id, name ORDER BY position) AS highest
       FROM (SELECT *, split_part(order_id, '-', 1) AS name, split_part(order_id, '-', 2)::int AS serial
             FROM engine_orders WHERE account_id <> $1) o) s WHERE serial < highest`,
    [MARKET_MAKER],
  );
  const { orders } = bought[0];
  const resent = clients.reduce((sum, client) => sum + client.resent, 0);
  expect(turned[0].orders).toBe(0);
  expect(totals[0]).toMatchObject({ trades: orders, rejects: 0, violations: 0 });
  expect(bought[0].wrong).toBe(0);
  expect(orders).toBeGreaterThanOrEqual(SIZE);
  expect(resent).toBeGreaterThan(5);
  expect(totals[0].arrivals).toBeGreaterThan(orders + SYMBOLS.length);
  console.log({ orders, repeats: totals[0].arrivals - orders - SYMBOLS.length, batchesSentAgain: resent });
}
