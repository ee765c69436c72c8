import { Packr } from "msgpackr";
import type { Order } from "../domain/orders/order";
import { compareStamps, NO_STAMP, type Stamp } from "../domain/orders/order-stamp";
import { type BookSnapshot, OrderBook, type TopOfBook, type Trade } from "./order-book";

export const REJECT_REASONS = [
  "insufficient_balance",
  "duplicate_order",
  "unknown_order",
  "malformed",
] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];

/** Sells what it does not hold: the market maker of the reference engine. */
export const MARKET_MAKER = "market-maker";

export type PlacedTrade = Trade & {
  position: number;
  number: number;
  takerAccount: string;
  takerOrderId: string;
  /** The taker's stamp, microseconds since 1970. */
  timeUs: number;
};
export type Reject = { position: number; accountId: string; orderId: string; reason: RejectReason };

/** The results of some orders; stored together with the position of the last one. */
export type Results = { trades: PlacedTrade[]; rejects: Reject[] };

type Balance = { free: number; held: number };

/** Orders, trades, rejects and violations so far. A violation: an order at or below its predecessor's stamp. */
export type Totals = { orders: number; trades: number; rejects: number; violations: number };

type State = {
  position: number;
  last: Stamp;
  totals: Totals;
  book: BookSnapshot;
  balances: [account: string, free: number, held: number][];
};

const packr = new Packr({ useRecords: false });

/**
 * The reference consumer of one symbol: an order book, and what each account holds. Quote currency is
 * on credit; what is sold must be held. Its state depends on the orders alone, so that a crash may read
 * them again from a snapshot.
 */
export class SymbolEngine {
  position = 0;
  readonly totals: Totals = { orders: 0, trades: 0, rejects: 0, violations: 0 };
  private last: Stamp = NO_STAMP;
  private book = new OrderBook();
  private balances = new Map<string, Balance>();

  constructor(readonly symbol: string) {}

  static restore(symbol: string, snapshot: Buffer | null): SymbolEngine {
    const engine = new SymbolEngine(symbol);
    if (!snapshot) return engine;
    const state = packr.unpack(snapshot) as State;
    engine.position = state.position;
    engine.last = state.last;
    Object.assign(engine.totals, state.totals);
    engine.book = new OrderBook(state.book);
    engine.balances = new Map(state.balances.map(([account, free, held]) => [account, { free, held }]));
    return engine;
  }

  snapshot(): Buffer {
    const { position, last, totals } = this;
    const balances = [...this.balances].map(([account, { free, held }]): State["balances"][number] => [
      account,
      free,
      held,
    ]);
    return packr.pack({ position, last, totals, book: this.book.snapshot(), balances } satisfies State);
  }

  /** Where the next order would be matched. */
  top(): TopOfBook {
    return this.book.top();
  }

  /** What an account holds, in whole units. */
  holdings(accountId: string): Balance {
    return { ...(this.balances.get(accountId) ?? { free: 0, held: 0 }) };
  }

  /** Takes the next order. `order` is null when its bytes could not be read. */
  apply(position: number, { stamp, order }: { stamp: Stamp; order: Order | null }, results: Results): void {
    this.position = position;
    this.totals.orders += 1;
    if (compareStamps(stamp, this.last) <= 0) this.totals.violations += 1;
    else this.last = stamp;
    if (!order) {
      this.reject(position, { accountId: "", orderId: "" }, results, "malformed");
      return;
    }
    const { kind, side, accountId, orderId, quantity } = order;
    if (kind === "cancel") {
      this.cancel(position, order, results);
      return;
    }
    if (kind === "limit" && this.book.find(accountId, orderId)) {
      this.reject(position, order, results, "duplicate_order");
      return;
    }
    if (side === "sell" && accountId !== MARKET_MAKER) {
      const balance = this.balanceOf(accountId);
      if (balance.free < quantity) {
        this.reject(position, order, results, "insufficient_balance");
        return;
      }
      balance.free -= quantity;
      balance.held += quantity;
    }
    const { trades, open } = this.book.place({ ...order, side: side! });
    let filled = 0;
    trades.forEach((trade, number) => {
      filled += trade.quantity;
      this.settle(trade);
      const taker = { takerAccount: accountId, takerOrderId: orderId, timeUs: stamp.timeUs };
      results.trades.push({ ...trade, position, number, ...taker });
    });
    this.totals.trades += trades.length;
    // The unmatched rest of a market order is not sold.
    if (side === "sell") this.release(accountId, quantity - filled - open);
  }

  private cancel(position: number, order: Order, results: Results): void {
    const cancelled = this.book.cancel(order.accountId, order.orderId);
    if (!cancelled) {
      this.reject(position, order, results, "unknown_order");
      return;
    }
    if (cancelled.side === "sell") this.release(order.accountId, cancelled.quantity);
  }

  private settle({ buyer, seller, quantity }: Trade): void {
    this.balanceOf(buyer).free += quantity;
    if (seller !== MARKET_MAKER) this.balanceOf(seller).held -= quantity;
  }

  private release(accountId: string, quantity: number): void {
    if (quantity === 0 || accountId === MARKET_MAKER) return;
    const balance = this.balanceOf(accountId);
    balance.held -= quantity;
    balance.free += quantity;
  }

  private reject(
    position: number,
    { accountId, orderId }: { accountId: string; orderId: string },
    { rejects }: Results,
    reason: RejectReason,
  ): void {
    this.totals.rejects += 1;
    rejects.push({ position, accountId, orderId, reason });
  }

  private balanceOf(accountId: string): Balance {
    let balance = this.balances.get(accountId);
    if (!balance) {
      balance = { free: 0, held: 0 };
      this.balances.set(accountId, balance);
    }
    return balance;
  }
}
