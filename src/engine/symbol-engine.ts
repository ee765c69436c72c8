import { Packr } from "msgpackr";
import type { Order } from "../domain/orders/order";
import { compareStamps, NO_STAMP, type Stamp } from "../domain/orders/order-stamp";
import { type BookSnapshot, OrderBook, type TopOfBook, type Trade } from "./order-book";
import { isRepeat, type OrderOutcome, OrderOutcomes, type RejectReason } from "./order-outcomes";

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
export type Results = { trades: PlacedTrade[]; rejects: Reject[]; outcomes: OrderOutcomes };

/** @param stored the stored outcomes of the orders that will be applied */
export function newResults(stored?: Iterable<OrderOutcome>): Results {
  return { trades: [], rejects: [], outcomes: new OrderOutcomes(stored) };
}

/** Units that are free, that are offered for sale, and that are to be bought by orders in the book. */
type Balance = { free: number; held: number; buying: number };

/** Orders, trades, rejects and violations so far. A violation: an order at or below its predecessor's stamp. */
export type Totals = { orders: number; trades: number; rejects: number; violations: number };

type State = {
  position: number;
  last: Stamp;
  totals: Totals;
  book: BookSnapshot;
  balances: [account: string, free: number, held: number, buying: number][];
};

export type SymbolEngineOptions = {
  /** Accounts that may sell what they do not hold. Their balance is below zero then. */
  hasCredit?: (accountId: string) => boolean;
};

/** `order` is null when its bytes could not be read. */
type Arrival = { stamp: Stamp; order: Order | null; orderedMs?: number | null };
type Readable = Arrival & { order: Order };

const NOTHING: Balance = { free: 0, held: 0, buying: 0 };
const MOST = Number.MAX_SAFE_INTEGER;
const packr = new Packr({ useRecords: false });

/**
 * The reference consumer of one symbol: an order book, and what each account holds. Quote currency is
 * on credit; what is sold must be held. Its state depends on the orders alone, so that a crash may read
 * them again from a snapshot. An order id is executed once: a repeat changes nothing.
 */
export class SymbolEngine {
  position = 0;
  readonly totals: Totals = { orders: 0, trades: 0, rejects: 0, violations: 0 };
  private last: Stamp = NO_STAMP;
  private book = new OrderBook();
  private balances = new Map<string, Balance>();

  constructor(
    readonly symbol: string,
    private readonly options: SymbolEngineOptions = {},
  ) {}

  static restore(symbol: string, snapshot: Buffer | null, options?: SymbolEngineOptions): SymbolEngine {
    const engine = new SymbolEngine(symbol, options);
    if (!snapshot) return engine;
    const state = packr.unpack(snapshot) as State;
    engine.position = state.position;
    engine.last = state.last;
    Object.assign(engine.totals, state.totals);
    engine.book = new OrderBook(state.book);
    engine.balances = new Map(
      state.balances.map(([account, free, held, buying]) => [account, { free, held, buying }]),
    );
    return engine;
  }

  /** @throws Error when units were created or lost: nothing of this state may be stored */
  snapshot(): Buffer {
    const { position, last, totals } = this;
    const balances = [...this.balances].map(
      ([account, { free, held, buying }]): State["balances"][number] => [account, free, held, buying],
    );
    this.checkSums(balances);
    return packr.pack({ position, last, totals, book: this.book.snapshot(), balances } satisfies State);
  }

  /** After a rebuild from stored results, which say where it ended. */
  continueAt(position: number, last: Stamp, totals: Totals): void {
    this.position = position;
    this.last = last;
    Object.assign(this.totals, totals);
  }

  /** Where the next order would be matched. */
  top(): TopOfBook {
    return this.book.top();
  }

  /** What an account holds, in whole units. */
  holdings(accountId: string): { free: number; held: number } {
    const { free, held } = this.balances.get(accountId) ?? { free: 0, held: 0 };
    return { free, held };
  }

  /** Takes the next order. */
  apply(position: number, { stamp, order, orderedMs }: Arrival, results: Results): void {
    this.position = position;
    this.totals.orders += 1;
    if (compareStamps(stamp, this.last) <= 0) this.totals.violations += 1;
    else this.last = stamp;
    if (!order) this.reject(position, { accountId: "", orderId: "" }, results, "malformed");
    else if (order.kind === "cancel") this.cancel(position, order, results);
    else this.take(position, { stamp, order, orderedMs }, results);
  }

  /** A limit or market order. */
  private take(position: number, { stamp, order, orderedMs = null }: Readable, results: Results): void {
    const { outcomes } = results;
    const { accountId, orderId, quantity, price } = order;
    const known = outcomes.find(accountId, orderId);
    if (known && known.position < position) {
      if (!isRepeat(known, order)) this.reject(position, order, results, "duplicate_order");
      return;
    }
    const reason = this.refusalOf(order);
    if (reason) this.reject(position, order, results, reason);
    const filled = reason ? 0 : this.place(position, { stamp, order }, results);
    outcomes.add({
      accountId,
      orderId,
      position,
      kind: order.kind === "market" ? "market" : "limit",
      side: order.side!,
      price,
      quantity,
      filled,
      reason,
      cancelledPosition: null,
      stamp,
      orderedMs,
    });
  }

  /** Every sum stays a whole number that is exact: an order that could pass the limit is refused. */
  private refusalOf({ kind, side, accountId, quantity }: Order): RejectReason | null {
    const { free, held, buying } = this.balances.get(accountId) ?? NOTHING;
    const room = MOST - quantity;
    if (side === "buy" && free + held + buying > room) return "sum_too_large";
    if (side === "sell" && free < quantity) {
      if (!this.options.hasCredit?.(accountId)) return "insufficient_balance";
      if (-free > room || held > room) return "sum_too_large";
    }
    return kind === "limit" && this.book.volume(side!) > room ? "sum_too_large" : null;
  }

  /** Matches, and returns how much was traded. */
  private place(position: number, { stamp, order }: Readable, results: Results): number {
    const { accountId, orderId, quantity } = order;
    const side = order.side!;
    this.reserve(side, accountId, quantity);
    const { trades, open } = this.book.place({ ...order, side });
    let filled = 0;
    trades.forEach((trade, number) => {
      filled += trade.quantity;
      this.settle(trade);
      const maker = { accountId: trade.makerAccount, orderId: trade.makerOrderId };
      results.outcomes.fill({ ...maker, position, filled: trade.quantity });
      const taker = { takerAccount: accountId, takerOrderId: orderId, timeUs: stamp.timeUs };
      results.trades.push({ ...trade, position, number, ...taker });
    });
    this.totals.trades += trades.length;
    // What a market order found no counterpart for is neither sold nor bought.
    this.reserve(side, accountId, filled + open - quantity);
    return filled;
  }

  private cancel(position: number, order: Order, results: Results): void {
    const { accountId, orderId } = order;
    const cancelled = this.book.cancel(accountId, orderId);
    if (cancelled) {
      this.reserve(cancelled.side, accountId, -cancelled.quantity);
      results.outcomes.cancel({ position, accountId, orderId });
      return;
    }
    const known = results.outcomes.find(accountId, orderId);
    if (!known || known.position >= position) this.reject(position, order, results, "unknown_order");
    else if ((known.cancelledPosition ?? position) >= position)
      this.reject(position, order, results, "not_open");
  }

  private settle({ buyer, seller, quantity }: Trade): void {
    const bought = this.balanceOf(buyer);
    bought.buying -= quantity;
    bought.free += quantity;
    this.balanceOf(seller).held -= quantity;
  }

  /** For an order that is to be matched; below zero: gives back. */
  private reserve(side: "buy" | "sell", accountId: string, quantity: number): void {
    const balance = this.balanceOf(accountId);
    if (side === "buy") balance.buying += quantity;
    else {
      balance.free -= quantity;
      balance.held += quantity;
    }
  }

  /** Accounts trade with each other alone: what all of them hold together is nothing. */
  private checkSums(balances: State["balances"]): void {
    let sum = 0n;
    for (const [, free, held] of balances) sum += BigInt(free) + BigInt(held);
    if (sum === 0n) return;
    throw new Error(
      `${this.symbol}: all balances together are ${sum} units at position ${this.position} instead of 0. ` +
        "The engine's state is not stored. Report this with the symbol's ordered stream.",
    );
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
      balance = { free: 0, held: 0, buying: 0 };
      this.balances.set(accountId, balance);
    }
    return balance;
  }
}
