import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AggregatorStatusStore } from "../aggregate/aggregator-status-store";
import { shardOfKey } from "../domain/orders/hash-range";
import { UNREGISTERED_PRODUCERS } from "../domain/orders/order-stamp";
import { packOrder } from "../store/codec/order-payload";
import { deadLettersKey } from "../store/order-keys";
import { readSeries } from "../telemetry/read-series";
import { encodeRows } from "../testing/encode-rows";
import { anOrder, LOG, OrderFixture } from "../testing/order-fixture";
import { waitFor } from "../testing/wait-for";

let fixture: OrderFixture;
beforeAll(async () => {
  fixture = await OrderFixture.start();
  fixture.aggregator();
  fixture.engine();
});
afterAll(() => fixture.stop());

describe("an aggregator without producers", () => {
  it("has no lag and no slowest producer", async () => {
    const status = new AggregatorStatusStore(fixture.redis, LOG);
    await waitFor("its status", async () => (await status.read()).length > 0);
    const reports = new Map<number, { lagMs: number | null; slowestProducer: string | null }>();
    await waitFor("five reports", async () => {
      for (const { atMs, lagMs, slowestProducer } of await status.read()) {
        if (lagMs !== null) reports.set(atMs, { lagMs, slowestProducer });
      }
      return reports.size >= 5;
    });
    expect(
      new Set([...reports.values()].map(({ lagMs, slowestProducer }) => `${lagMs} ${slowestProducer}`)),
    ).toEqual(new Set(["0 null"]));
  });
});

describe("orders from producer to engine", () => {
  it("arrive once and in order from several producers, while the split changes and shards are resharded", async () => {
    const producers = [fixture.producer(), fixture.producer(), fixture.producer()];
    const total = 30_000;
    const steps: (() => Promise<unknown>)[] = [
      () => fixture.split("DOGE", 5),
      () => fixture.log.splitShard("0"),
      () => fixture.split("DOGE", 2),
      () => fixture.log.mergeShards("5", "6"),
      () => fixture.split("DOGE", 1),
    ];
    const durable: Promise<void>[] = [];
    for (let sent = 0; sent < total; sent += 100) {
      const producer = producers[(sent / 100) % producers.length]!;
      const account = `a${sent / 100}`;
      durable.push(
        (await producer.submit(Array.from({ length: 100 }, () => anOrder({ accountId: account })))).durable,
      );
      if (sent % 6_000 === 3_000) await steps.shift()!();
      if (sent % 500 === 0) await durable.at(-1);
    }
    await Promise.all(durable);
    await fixture.matched("DOGE", total);
    expect(await fixture.totals("DOGE")).toMatchObject({ orders: total, violations: 0, rejects: 0 });
  });

  it("record their latency by stage", async () => {
    const parts = [
      ...(["order_ingest_p50_ms", "order_shard_wait_p50_ms", "order_buffer_wait_p50_ms"] as const),
      ...(["order_engine_p50_ms", "order_latency_p99_ms"] as const),
    ];
    await waitFor("figures of every part", async () => {
      const toMs = Date.now();
      const { values } = await readSeries(fixture.redis, { series: parts, fromMs: toMs - 30_000, toMs });
      const known = parts.map(part => values[part].filter(value => value !== null));
      // None of them can be longer than the whole.
      const longest = Math.max(0, ...(known[4] ?? []));
      for (const part of known.slice(0, 4)) for (const ms of part) expect(ms).toBeLessThan(longest + 1_000);
      return known.every(part => part.length > 0);
    });
  });

  it("let go of a producer that has died within moments, and keep the others in order", async () => {
    const dead = fixture.producer();
    await (await dead.submit([anOrder({ symbol: "BTC" })])).durable;
    // It does not report its own end.
    dead.producer.publish = async () => {};
    const alive = fixture.producer();
    const before = (await fixture.totals("BTC")).orders;
    const startMs = Date.now();
    await (await alive.submit([anOrder({ symbol: "BTC" })])).durable;
    await fixture.matched("BTC", before + 1);
    expect(Date.now() - startMs).toBeLessThan(5_000);
  });

  it("become dead letters when malformed, of an unknown symbol, or from a clock a day ahead or behind", async () => {
    const unregistered = (symbol: string, timeUs: number) =>
      encodeRows(UNREGISTERED_PRODUCERS + 1, symbol, [
        { timeUs, sequence: 1, payload: packOrder(anOrder({ symbol })) },
      ]);
    const nowUs = Date.now() * 1_000;
    const day = 86_400_000_000;
    const map = await fixture.log.readMap();
    const shardId = shardOfKey(map.open, "DOGE").id;
    const data = [
      Buffer.from("poison"),
      unregistered("NOPE", nowUs),
      unregistered("DOGE", nowUs + day),
      unregistered("DOGE", nowUs - day),
    ];
    const records = data.map(bytes => ({ partitionKey: "DOGE", data: bytes }));
    await fixture.log.append({ shardId, producer: UNREGISTERED_PRODUCERS + 1, firstNumber: 1, records });
    await waitFor("four dead letters", async () => (await fixture.redis.xlen(deadLettersKey(LOG))) >= 4);
    const entries = await fixture.redis.xrange(deadLettersKey(LOG), "-", "+");
    const reasons = entries.map(([, fields]) => fields[1]).sort();
    // The order of yesterday is late, unless the stream of these 30,000 was trimmed since.
    expect(reasons.map(reason => (reason === "unclear" ? "late" : reason)).sort()).toEqual([
      "late",
      "malformed",
      "time_ahead",
      "unknown_symbol",
    ]);
    // And the shard goes on.
    const before = (await fixture.totals("DOGE")).orders;
    await (await fixture.producer().submit([anOrder()])).durable;
    await fixture.matched("DOGE", before + 1);
  });

  it("are shared by two aggregators and two engines, which start and stop", async () => {
    const second = [fixture.aggregator(), fixture.engine()];
    const producer = fixture.producer();
    const before = await fixture.totals("DOGE");
    for (let i = 0; i < 40; i += 1) {
      await (await producer.submit(Array.from({ length: 50 }, () => anOrder()))).durable;
      if (i === 20) await Promise.all(second.map(worker => worker.stop()));
    }
    await fixture.matched("DOGE", before.orders + 2_000);
    expect((await fixture.totals("DOGE")).violations).toBe(0);
  });
});
