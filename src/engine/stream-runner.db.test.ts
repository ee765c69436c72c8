import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PARTITIONS, partitionOf } from "../domain/orders/order-partition";
import { formatStamp } from "../domain/orders/order-stamp";
import { decodeFrame } from "../store/codec/ordered-frame";
import { headKey, orderedKey } from "../store/order-keys";
import { anOrder, LOG, OrderFixture } from "../testing/order-fixture";
import { BookStatusStore } from "./book-status-store";
import { EngineConsumer } from "./engine-consumer";
import { EngineStore } from "./engine-store";
import { StreamRunner } from "./stream-runner";

let fixture: OrderFixture;
let aggregator: { stop(): Promise<void> };
let epoch = 1;

beforeAll(async () => {
  fixture = await OrderFixture.start({ shards: 2 });
  aggregator = fixture.aggregator();
});
afterAll(() => fixture.stop());

/** An engine process of its own; a later one takes over. */
function startRunner(store = new EngineStore(fixture.database.pool)) {
  epoch += 1;
  const paused: string[] = [];
  const runner = new StreamRunner({
    redis: fixture.redis,
    log: LOG,
    open: (symbol, epoch) => EngineConsumer.open(symbol, epoch, { store, snapshotEveryMs: 0 }),
    leases: new Map(Array.from({ length: PARTITIONS }, (_, partition) => [partition, epoch])),
    symbols: () => ["BTC", "ETH"],
    on: { paused: symbol => paused.push(symbol) },
  });
  return { runner, paused };
}

async function send(symbol: string, count: number): Promise<void> {
  const head = await positionOf(symbol);
  const orders = Array.from({ length: count }, () => anOrder({ symbol }));
  await (await fixture.producer().submit(orders)).durable;
  await expect.poll(() => positionOf(symbol), { timeout: 10_000 }).toBe(head + count);
}

const head = (symbol: string) => headKey(LOG, partitionOf(symbol), symbol);
const ordered = (symbol: string) => orderedKey(LOG, partitionOf(symbol), symbol);
const positionOf = async (symbol: string) =>
  Number((await fixture.redis.hget(head(symbol), "position")) ?? 0);
const matched = async (symbol: string) => (await fixture.totals(symbol)).orders;

/** Redis as it was before the symbol's last frame. */
async function takeBack(symbol: string): Promise<void> {
  const entries = await fixture.redis.xrevrangeBuffer(ordered(symbol), "+", "-", "COUNT", 2);
  const [[last], [before, fields]] = entries as [[Buffer, Buffer[]], [Buffer, Buffer[]]];
  const frame = decodeFrame(fields[1]!);
  await fixture.redis.xdel(ordered(symbol), last.toString());
  const position = Number.parseInt(before.toString(), 10);
  await fixture.redis.hset(head(symbol), {
    position,
    passed: 0,
    last: formatStamp(frame.stampAt(frame.count - 1)),
  });
}

async function stepUntilIdle(runner: StreamRunner<EngineConsumer>): Promise<void> {
  for (let steps = 0; steps < 50; steps += 1) if (!(await runner.step())) return;
  throw new Error("the engine does not come to rest");
}

describe("results of long ago", () => {
  it("go while orders keep coming", async () => {
    const { runner } = startRunner(new EngineStore(fixture.database.pool, 10));
    const orders = Array.from({ length: 50 }, () => anOrder({ symbol: "ETH", side: "sell" }));
    for (const order of orders) await (await fixture.producer().submit([order])).durable;
    await expect.poll(() => runner.step().then(() => matched("ETH")), { timeout: 10_000 }).toBe(50);
    const firstKept = async () => {
      const { rows } = await fixture.database.pool.query(
        "SELECT min(position)::int AS first FROM engine_rejects",
      );
      return rows[0].first;
    };
    await expect.poll(() => runner.step().then(firstKept), { timeout: 10_000 }).toBe(41);
    await fixture.database.pool.query("TRUNCATE engine_rejects");
  });
});

describe("a symbol with an error", () => {
  it("is paused with its reason while the others continue; when it is repaired it catches up", async () => {
    const { runner, paused } = startRunner();
    await Promise.all([send("BTC", 10), send("ETH", 10)]);
    await stepUntilIdle(runner);
    expect(await Promise.all([matched("BTC"), matched("ETH")])).toEqual([10, 60]);

    await Promise.all([send("BTC", 5), send("ETH", 5)]);
    const [[id, fields]] = (await fixture.redis.xrangeBuffer(ordered("BTC"), "(10-0", "+", "COUNT", 1)) as [
      [Buffer, Buffer[]],
    ];
    await fixture.redis.xdel(ordered("BTC"), id.toString());
    await send("BTC", 5);
    await stepUntilIdle(runner);
    expect(paused).toEqual(["BTC"]);
    const statusStore = new BookStatusStore(fixture.redis, LOG);
    const engines = runner.consumers.map(({ engine }) => engine);
    await statusStore.write({ engines, problems: runner.problems });
    const shown = await statusStore.read();
    expect([[...shown.books.keys()], [...shown.problems]]).toEqual([["ETH"], [...runner.problems]]);
    expect(runner.problems.get("BTC")).toMatch(/^BTC: \d orders are missing before position \d+\.$/);
    expect(await Promise.all([matched("BTC"), matched("ETH")])).toEqual([10, 65]);

    // Redis cannot put deleted entries back in their place: the stream is written again.
    const rest = await fixture.redis.xrangeBuffer(ordered("BTC"), "(10-0", "+");
    await fixture.redis.del(ordered("BTC"));
    for (const [entry, [name, frame]] of [[id, fields], ...rest] as [Buffer, [Buffer, Buffer]][])
      await fixture.redis.xadd(ordered("BTC"), entry.toString(), name, frame);
    await expect.poll(() => runner.step().then(() => matched("BTC")), { timeout: 10_000 }).toBe(20);
    expect(runner.problems.size).toBe(0);
    expect(await fixture.totals("BTC")).toMatchObject({ violations: 0, rejects: 0 });
  });

  it("is paused when Redis comes back older than the matched orders, with any number of new orders", async () => {
    await aggregator.stop();
    const before = await matched("ETH");
    await takeBack("ETH");
    const first = startRunner();
    await stepUntilIdle(first.runner);
    expect(first.paused).toEqual(["ETH"]);
    expect(first.runner.problems.get("ETH")).toMatch(/^ETH: \d+ orders are matched, but Redis knows of \d+/);
    expect(first.runner.consumers.map(({ engine }) => engine.symbol)).toEqual(["BTC"]);

    aggregator = fixture.aggregator();
    await (await fixture.producer().submit(Array.from({ length: 50 }, () => anOrder({ symbol: "ETH" }))))
      .durable;
    await expect.poll(() => positionOf("ETH"), { timeout: 10_000 }).toBeGreaterThan(before);
    const { runner, paused } = startRunner();
    await stepUntilIdle(runner);
    expect(paused).toEqual(["ETH"]);
    expect(runner.problems.get("ETH")).toContain("is another order in Redis than the one that was matched");
    expect(await matched("ETH")).toBe(before);
  });

  it("gives way to a later engine at once", async () => {
    const { runner } = startRunner();
    await runner.step();
    startRunner();
    await fixture.database.pool.query("UPDATE engine_states SET epoch = epoch + 1");
    aggregator = fixture.aggregator();
    await send("BTC", 1);
    await expect(stepUntilIdle(runner)).rejects.toThrow("a later engine");
  });
});
