import type { ShardMap } from "../../domain/orders/hash-range";
import type { OrderLog } from "../../domain/orders/order-log";
import { type Flow, type FlowLimits, flowsWithout, placementLoads } from "../../domain/orders/shard-load";
import { placePlanned, type SubKey } from "../../domain/orders/split-placement";
import type { SymbolFlow } from "../../domain/orders/split-preview";
import type { PlanBook } from "../../orders/plan-book";
import type { RedisClient } from "../../store/redis";
import { heartbeatId } from "../../telemetry/flusher";
import { idOf, OTHER, sumOf } from "../../telemetry/instruments";
import { readRecent } from "../../telemetry/read-recent";
import { orderLogUnreadable } from "../orders/order-log-unreadable";

export type ShardFigures = Flow & { throttledPerSecond: number };

/** Rates of the last seconds over all servers. */
export type Figures = {
  map: ShardMap;
  /** A shard or symbol is missing in these maps when no server counted it on its own. */
  shards: ReadonlyMap<string, ShardFigures>;
  symbols: ReadonlyMap<string, SymbolFlow>;
  /** The sub-keys of each symbol at the moment. */
  subKeys: ReadonlyMap<string, SubKey[]>;
};

export type LiveFiguresDeps = { redis: RedisClient; plans: PlanBook; orderLog: OrderLog };

/** Long enough to average batches, short enough to show a change. */
const OVER_SECONDS = 5;
const FRESH_MS = 900;

const OF_SHARD = ["order_records_total", "order_bytes_total", "order_throttled_total"] as const;
const OF_SYMBOL = [
  "orders_offered_total",
  "orders_durable_total",
  "symbol_records_total",
  "symbol_bytes_total",
] as const;

/** The log's present figures, read at most once a second for all callers. */
export class LiveFigures {
  private latest: Figures | null = null;
  private reading: { atMs: number; figures: Promise<Figures> } | null = null;

  constructor(private readonly deps: LiveFiguresDeps) {}

  /** @throws AppError BUSY while Redis does not answer */
  read(): Promise<Figures> {
    return this.readWithin(FRESH_MS);
  }

  /** Figures of at most this age. @throws AppError BUSY */
  readWithin(ageMs: number): Promise<Figures> {
    const now = Date.now();
    if (this.reading && now - this.reading.atMs < ageMs) return this.reading.figures;
    const figures = this.load().catch((cause: unknown) => {
      this.reading = null;
      throw orderLogUnreadable(cause);
    });
    this.reading = { atMs: now, figures };
    return figures;
  }

  /**
   * The partition keys for a split of the symbol: on the shards with the least load of other symbols, from
   * the last figures. Null when there are no figures of the symbol.
   */
  chooseSubKeys(symbol: string, factor: number, limits: FlowLimits): string[] | null {
    const subKeysNow = this.latest?.subKeys.get(symbol);
    if (!this.latest || !subKeysNow) return null;
    const { map, shards, symbols } = this.latest;
    const own = symbols.get(symbol) ?? { recordsPerSecond: 0, bytesPerSecond: 0 };
    const loads = placementLoads(flowsWithout(shards, own, subKeysNow), limits, map);
    return placePlanned(symbol, factor, map, loads).map(({ partitionKey }) => partitionKey);
  }

  private async load(): Promise<Figures> {
    const { redis, plans, orderLog } = this.deps;
    const map = await orderLog.readMap();
    const shardIds = map.open.map(({ id }) => id);
    const symbols = [...plans.tradedSymbols.keys()];
    const up = heartbeatId("server");
    const ids = [
      up,
      ...[...shardIds, OTHER].flatMap(id => OF_SHARD.map(name => idOf(name, id))),
      ...[...symbols, OTHER].flatMap(symbol => OF_SYMBOL.map(name => idOf(name, symbol))),
    ];
    const sums = await readRecent(redis, ids, { seconds: OVER_SECONDS });
    const rate = (name: string, of: string) => (sumOf(sums, name, of) ?? 0) / OVER_SECONDS;
    const isCounted = sums.get(up) !== null;
    const isKnown = (names: readonly string[]) => (of: string) =>
      isCounted && names.every(name => sumOf(sums, name, of) !== null);
    const subKeys = new Map(symbols.map(symbol => [symbol, plans.subKeysOf(symbol, map)]));
    this.latest = {
      map,
      subKeys,
      shards: new Map(
        shardIds.filter(isKnown(OF_SHARD)).map(id => [id, shardFigures(name => rate(name, id))]),
      ),
      symbols: new Map(
        symbols.filter(isKnown(OF_SYMBOL)).map(symbol => [symbol, symbolFlow(name => rate(name, symbol))]),
      ),
    };
    return this.latest;
  }
}

const shardFigures = (rate: (name: (typeof OF_SHARD)[number]) => number): ShardFigures => ({
  recordsPerSecond: rate("order_records_total"),
  bytesPerSecond: rate("order_bytes_total"),
  throttledPerSecond: rate("order_throttled_total"),
});

const symbolFlow = (rate: (name: (typeof OF_SYMBOL)[number]) => number): SymbolFlow => ({
  offeredPerSecond: rate("orders_offered_total"),
  ordersPerSecond: rate("orders_durable_total"),
  recordsPerSecond: rate("symbol_records_total"),
  bytesPerSecond: rate("symbol_bytes_total"),
});
