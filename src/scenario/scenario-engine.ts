import type { ShardMap } from "../domain/orders/hash-range";
import type { Order } from "../domain/orders/order";
import { partitionOf } from "../domain/orders/order-partition";
import { compareStamps, NO_STAMP, type Stamp } from "../domain/orders/order-stamp";
import { newResults, SymbolEngine } from "../engine/symbol-engine";
import type { RedisLog } from "../orders/redis-log";
import { unpackOrder } from "../store/codec/order-payload";
import { decodeRecord } from "../store/codec/order-record";
import { decodeFrame } from "../store/codec/ordered-frame";
import { orderedKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";
import { MARKET_MAKER } from "./scenario-traffic";

/** Counts the orders that arrive at an engine, and their latencies. */
export class ScenarioEngine {
  private readonly engine: SymbolEngine;
  private readonly results = newResults();
  private last: Stamp = NO_STAMP;
  readonly latenciesMs: number[] = [];
  private readonly orderIds = new Set<string>();
  received = 0;
  /** Orders that came after one with a higher stamp. */
  outOfOrder = 0;

  constructor(symbol: string) {
    this.engine = new SymbolEngine(symbol, { hasCredit: accountId => accountId === MARKET_MAKER });
  }

  take(order: Order, stamp: Stamp): void {
    this.received += 1;
    this.orderIds.add(order.orderId);
    this.latenciesMs.push(Date.now() - stamp.timeUs / 1_000);
    if (compareStamps(stamp, this.last) < 0) this.outOfOrder += 1;
    else this.last = stamp;
    this.engine.apply(this.received, { stamp, order }, this.results);
  }

  /** Different orders that were received. */
  get seen(): number {
    return this.orderIds.size;
  }

  /** Sold before bought: every sale has its purchase before it, so none would be refused in order. */
  get violations(): number {
    return this.results.rejects.filter(({ reason }) => reason === "insufficient_balance").length;
  }
}

/** Reads the shards independently and passes on every order at once: a consumer without an aggregator. */
export class ArrivalReader {
  private readonly positions: Map<string, string>;

  constructor(
    private readonly log: RedisLog,
    map: ShardMap,
    private readonly engine: ScenarioEngine,
  ) {
    this.positions = new Map(map.open.map(({ id }) => [id, ""]));
  }

  /** One round over all shards; each shard has its own reader, and none waits for another. */
  async drainOnce(random: () => number): Promise<number> {
    let read = 0;
    const shards = [...this.positions.keys()].sort(() => random() - 0.5);
    for (const shardId of shards) {
      const [batch] = await this.log.read(new Map([[shardId, this.positions.get(shardId)!]]), 200);
      for (const { position, data } of batch!.records) {
        this.positions.set(shardId, position);
        const record = decodeRecord(data);
        if (record.kind !== "orders") continue;
        const { run } = record;
        for (let i = 0; i < run.count; i += 1) {
          const payload = run.bytes.subarray(run.offsets[i]!, run.offsets[i + 1]!);
          const stamp = { timeUs: run.timesUs[i]!, producer: run.producer, sequence: run.sequences[i]! };
          this.engine.take(unpackOrder(payload, run.symbol), stamp);
          read += 1;
        }
      }
    }
    return read;
  }
}

/** Reads a symbol's ordered stream. */
export class OrderedReader {
  private position = "0-0";

  constructor(
    private readonly redis: RedisClient,
    private readonly options: { log: string; symbol: string; engine: ScenarioEngine },
  ) {}

  async drainOnce(): Promise<void> {
    const { log, symbol, engine } = this.options;
    const key = orderedKey(log, partitionOf(symbol), symbol);
    const reply = await this.redis.xreadBuffer("COUNT", 50, "STREAMS", key, this.position);
    for (const [id, fields] of reply?.[0]?.[1] ?? []) {
      this.position = id.toString();
      const frame = decodeFrame(fields[1]!);
      let index = 0;
      for (const payload of frame.payloads()) {
        engine.take(unpackOrder(payload, symbol), frame.stampAt(index));
        index += 1;
      }
    }
  }
}
