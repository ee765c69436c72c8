import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { seededRandom } from "../domain/seeded-random";
import { LOG, OrderFixture } from "../testing/order-fixture";
import { waitFor } from "../testing/wait-for";

/** `ORDERS_CRASH_SIZE=1000000` is the whole test; as many as fit into a minute run always. */
const SIZE = Number(process.env.ORDERS_CRASH_SIZE ?? 40_000);
const RATE_PER_PRODUCER = SIZE > 100_000 ? 8_000 : 2_000;
const TIMEOUT_MS = 120_000 + SIZE * 2;
const ROUNDS = 9;
const SPLITS = [5, 2, 1, 4, 3];

let fixture: OrderFixture;
const children = new Set<ChildProcess>();
/** By the name of a producer's life: the first serial of each batch that was answered durable. */
const durable = new Map<string, string[]>();
let lives = 0;

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

const startWorker = (name: "aggregator" | "engine") =>
  run([`src/workers/${name}.ts`], { ...fixture.env, ORDER_LIMITS: "off", ENGINE_SNAPSHOT_MS: "300" });

function startProducer(): ChildProcess {
  lives += 1;
  const name = `p${lives}`;
  const { REDIS_URL, DATABASE_URL } = fixture.env;
  const child = run([
    "src/testing/order-producer-process.ts",
    REDIS_URL,
    DATABASE_URL,
    LOG,
    name,
    `${RATE_PER_PRODUCER}`,
  ]);
  const serials: string[] = [];
  durable.set(name, serials);
  let rest = "";
  child.stdout!.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop()!;
    serials.push(...lines);
  });
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

const durableOrders = () => [...durable.values()].reduce((sum, serials) => sum + serials.length * 100, 0);

it("loses and repeats nothing, and keeps each account's order, when everything is killed and paused", {
  timeout: TIMEOUT_MS,
}, async () => {
  const random = seededRandom(7);
  const running = {
    aggregator: startWorker("aggregator"),
    engine: startWorker("engine"),
    producers: [startProducer(), startProducer(), startProducer()],
  };
  const kills = { producer: 0, aggregator: 0, engine: 0, redis: 0, pauses: 0 };
  const victims = ["aggregator", "engine", "producer"] as const;
  for (let round = 0; round < ROUNDS || durableOrders() < SIZE; round += 1) {
    const goal = Math.min(SIZE, (SIZE / ROUNDS) * (round + 1));
    await waitFor(`${goal} durable orders`, () => durableOrders() >= goal, TIMEOUT_MS);
    await fixture.split("DOGE", SPLITS[round % SPLITS.length]!);
    if (round === 4) {
      await fixture.server.kill();
      kills.redis += 1;
      await fixture.server.run();
    }
    await pause(running.producers[round % 3]!, 300 + random() * 2_000);
    kills.pauses += 1;
    const victim = victims[round % 3]!;
    kills[victim] += 1;
    if (victim === "producer") {
      const index = Math.floor(random() * running.producers.length);
      await kill(running.producers[index]!);
      running.producers[index] = startProducer();
    } else {
      await kill(running[victim]);
      running[victim] = startWorker(victim);
    }
  }
  for (const producer of running.producers) producer.kill("SIGTERM");
  await Promise.all(running.producers.map(producer => producer.exitCode ?? once(producer, "close")));
  // 1 says that it could not make its orders durable; null that it had hardly begun.
  expect(running.producers.map(({ exitCode }) => exitCode)).not.toContain(1);

  const expected = [...durable].flatMap(([name, serials]) =>
    serials.map(first => ({ name, first: Number(first) })),
  );
  const missing = async () => {
    const { rows } = await fixture.database.pool.query<{ missing: string }>(
      `SELECT count(*) AS missing FROM unnest($1::text[], $2::int[]) AS b(name, first), generate_series(0, 99) AS i
       WHERE NOT EXISTS (SELECT FROM engine_rejects r WHERE r.order_id = b.name || '-' || (b.first + i))`,
      [expected.map(({ name }) => name), expected.map(({ first }) => first)],
    );
    return Number(rows[0]!.missing);
  };
  await fixture.database.pool.query("CREATE INDEX ON engine_rejects (order_id)");
  await waitFor("every durable order to be at the engine", async () => (await missing()) === 0, 60_000);

  const { rows } = await fixture.database.pool.query(
    `SELECT (SELECT sum(orders)::int FROM engine_states) AS orders, (SELECT sum(violations)::int FROM engine_states) AS violations,
            count(*)::int AS stored, count(DISTINCT order_id)::int AS distinct FROM engine_rejects`,
  );
  const { rows: turned } = await fixture.database.pool.query(
    `SELECT count(*)::int AS orders FROM (
       SELECT serial, max(serial) OVER (PARTITION BY symbol, account_id ORDER BY position) AS highest
       FROM (SELECT *, split_part(order_id, '-', 2)::int AS serial FROM engine_rejects) r) s WHERE serial < highest`,
  );
  expect(turned[0].orders).toBe(0);
  expect(rows[0].violations).toBe(0);
  expect(rows[0].stored).toBe(rows[0].distinct);
  expect(rows[0].orders).toBe(rows[0].stored);
  expect(rows[0].stored).toBeGreaterThanOrEqual(SIZE);
  expect(kills.redis).toBe(1);
  expect(kills.pauses).toBeGreaterThanOrEqual(ROUNDS);
});
