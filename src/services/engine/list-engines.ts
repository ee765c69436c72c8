import type { TradedSymbol } from "../../domain/orders/order";
import { partitionOf } from "../../domain/orders/order-partition";
import { BookStatusStore } from "../../engine/book-status-store";
import type { TopOfBook } from "../../engine/order-book";
import { headKey } from "../../store/order-keys";
import type { Pool } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";
import { heartbeatId } from "../../telemetry/flusher";
import { idOf, OTHER, sumOf } from "../../telemetry/instruments";
import { readRecent } from "../../telemetry/read-recent";

/** A symbol as its engine has it. Prices and quantities are whole units of its decimals. */
export type EngineRow = TradedSymbol & {
  /** Null: no engine has shown it in the last seconds. */
  book: TopOfBook | null;
  /** Why the symbol is paused; null: it is not. */
  problem: string | null;
  /** The last order that was matched and stored. */
  position: number;
  /** Ordered, but not matched yet; null when no aggregator has written any. */
  behind: number | null;
  /** Orders per second over the last seconds; null: no engine has reported. */
  ordersPerSecond: number | null;
  trades: number;
  rejects: number;
  violations: number;
  last: { price: number; quantity: number; at: string | null } | null;
};

export type EnginesDeps = { redis: RedisClient; pool: Pool; log: string };

const OVER_SECONDS = 5;

/** Every traded symbol's engine. @throws when Redis or Postgres does not answer */
export async function listEngines({ redis, pool, log }: EnginesDeps): Promise<EngineRow[]> {
  const states = await readStates(pool);
  const symbols = states.map(({ symbol }) => symbol);
  const up = heartbeatId("engine");
  const name = "engine_orders_total";
  const [{ books, problems }, heads, rates] = await Promise.all([
    new BookStatusStore(redis, log).read(),
    readHeads(redis, log, symbols),
    readRecent(redis, [up, ...[...symbols, OTHER].map(of => idOf(name, of))], { seconds: OVER_SECONDS }),
  ]);
  const isCounted = rates.get(up) !== null;
  return states.map(({ symbol, price_decimals, quantity_decimals, ...row }, n) => {
    const position = Number(row.position ?? 0);
    const head = heads[n] ?? null;
    const orders = isCounted ? sumOf(rates, name, symbol) : null;
    return {
      symbol,
      priceDecimals: price_decimals,
      quantityDecimals: quantity_decimals,
      position,
      book: books.get(symbol) ?? null,
      problem: problems.get(symbol) ?? null,
      // The head was read a moment after the position.
      behind: head === null ? null : Math.max(0, head - position),
      ordersPerSecond: orders === null ? null : orders / OVER_SECONDS,
      trades: Number(row.trades ?? 0),
      rejects: Number(row.rejects ?? 0),
      violations: Number(row.violations ?? 0),
      last:
        row.price === null
          ? null
          : { price: Number(row.price), quantity: Number(row.quantity), at: instantOf(row.time_us) },
    };
  });
}

/** @param timeUs microseconds since 1970, as Postgres gives them */
export const instantOf = (timeUs: string | null): string | null =>
  timeUs === null ? null : new Date(Number(timeUs) / 1_000).toISOString();

type StateRow = {
  symbol: string;
  price_decimals: number;
  quantity_decimals: number;
  position: string | null;
  trades: string | null;
  rejects: string | null;
  violations: string | null;
  price: string | null;
  quantity: string | null;
  time_us: string | null;
};

async function readStates(pool: Pool): Promise<StateRow[]> {
  const { rows } = await pool.query<StateRow>({
    name: "engines",
    text: `SELECT s.symbol, s.price_decimals, s.quantity_decimals,
             e.position, e.trades, e.rejects, e.violations, t.price, t.quantity, t.time_us
           FROM traded_symbols s LEFT JOIN engine_states e ON e.symbol = s.symbol
           LEFT JOIN LATERAL
             (SELECT price, quantity, time_us FROM engine_trades t WHERE t.symbol = s.symbol
              ORDER BY position DESC, number DESC LIMIT 1) t ON true
           WHERE s.state <> 'delisted'
           ORDER BY s.symbol`,
  });
  return rows;
}

/** The positions that aggregators have written. */
async function readHeads(
  redis: RedisClient,
  log: string,
  symbols: readonly string[],
): Promise<(number | null)[]> {
  return Promise.all(
    symbols.map(async symbol => {
      const position = await redis.hget(headKey(log, partitionOf(symbol), symbol), "position");
      return position === null ? null : Number(position);
    }),
  );
}
