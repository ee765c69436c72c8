import { OrderBook as LimitOrderBook, OrderType, Side } from "nodejs-order-book";
import type { Order } from "../domain/orders/order";

/** A match: `quantity` at the maker's `price`, in the symbol's whole units. */
export type Trade = {
  price: number;
  quantity: number;
  buyer: string;
  seller: string;
  makerAccount: string;
  makerOrderId: string;
};

export type Matched = { trades: Trade[]; open: number };
export type BookSnapshot = ReturnType<LimitOrderBook["snapshot"]>;
type BookOrder = NonNullable<ReturnType<LimitOrderBook["order"]>>;

/** An order that stands in the book. */
export type OpenOrder = { side: "buy" | "sell"; price: number; quantity: number };

/** A price level: the quantity in whole units, and the number of orders. */
export type Level = { price: number; quantity: number; orders: number };

/** The best level of each side, null where the side is empty, and how many prices there are. */
export type TopOfBook = { bid: Level | null; ask: Level | null; bidLevels: number; askLevels: number };

/** Price-time priority by nodejs-order-book, which is exact for whole numbers. */
export class OrderBook {
  private readonly book: LimitOrderBook;

  constructor(snapshot?: BookSnapshot) {
    this.book = new LimitOrderBook(snapshot ? { snapshot } : {});
  }

  /** What stands on one side, in whole units. */
  volume(side: "buy" | "sell"): number {
    // biome-ignore lint/complexity/useLiteralKeys: the library keeps them private.
    return (side === "buy" ? this.book["bids"] : this.book["asks"]).volume();
  }

  /** Matches a limit or market order; the rest of a limit order stays in the book. */
  place({ kind, side, orderId, accountId, price, quantity }: Order & { side: "buy" | "sell" }): Matched {
    const id = idOf(accountId, orderId);
    const taken = { side: side === "buy" ? Side.BUY : Side.SELL, size: quantity, accountId };
    const result =
      kind === "limit"
        ? this.book.createOrder({ type: OrderType.LIMIT, id, price, ...taken })
        : this.book.createOrder({ type: OrderType.MARKET, ...taken });
    if (result.err) throw new Error(`the book refused ${id}: ${result.err.message}`);
    const trades: Trade[] = [];
    const add = (maker: BookOrder, size: number) => {
      const makerAccount = maker.accountId ?? "";
      trades.push({
        price: maker.price,
        quantity: size,
        makerAccount,
        makerOrderId: maker.id.slice(makerAccount.length + 1),
        buyer: side === "buy" ? accountId : makerAccount,
        seller: side === "buy" ? makerAccount : accountId,
      });
    };
    for (const done of result.done) if (done.id !== id) add(done as BookOrder, done.size);
    if (result.partial && result.partial.id !== id) add(result.partial, result.partialQuantityProcessed);
    const filled = trades.reduce((sum, trade) => sum + trade.quantity, 0);
    return { trades, open: kind === "limit" ? quantity - filled : 0 };
  }

  /** Takes an order out; null if it does not stand in the book. */
  cancel(accountId: string, orderId: string): OpenOrder | null {
    const cancelled = this.book.cancel(idOf(accountId, orderId));
    return cancelled ? toOpen(cancelled.order) : null;
  }

  /** In constant time: the library's own `depth()` walks over every level, so its sides are asked themselves. */
  top(): TopOfBook {
    // biome-ignore lint/complexity/useLiteralKeys: the library keeps them private.
    const [bids, asks] = [this.book["bids"], this.book["asks"]];
    return {
      bid: toLevel(bids.maxPriceQueue()),
      ask: toLevel(asks.minPriceQueue()),
      bidLevels: bids.depth(),
      askLevels: asks.depth(),
    };
  }

  snapshot(): BookSnapshot {
    return this.book.snapshot();
  }
}

/** Two accounts may use the same order id; neither can hold a colon. */
function idOf(accountId: string, orderId: string): string {
  return `${accountId}:${orderId}`;
}

type Queue = { price(): number; volume(): number; len(): number };

function toLevel(queue: Queue | undefined): Level | null {
  return queue ? { price: queue.price(), quantity: queue.volume(), orders: queue.len() } : null;
}

function toOpen({ side, price, size }: BookOrder): OpenOrder {
  return { side: side === Side.BUY ? "buy" : "sell", price, quantity: size };
}
