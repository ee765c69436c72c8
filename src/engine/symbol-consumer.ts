import type { Order } from "../domain/orders/order";
import type { Stamp } from "../domain/orders/order-stamp";

/** An order at its place in the ordered stream. */
export type OrderedOrder = {
  position: number;
  stamp: Stamp;
  /** Null: its bytes are no order. */
  order: Order | null;
  /** When the aggregator wrote it, milliseconds since 1970; null in streams of before that was noted. */
  orderedMs: number | null;
};

/**
 * What follows one symbol's ordered stream. The reference engine is one (`engine-consumer.ts`), `src/examples/volumes.ts`
 * is another; docs/ordered-stream.md has the guarantees. An error that it throws ends this object: another one is
 * opened, and continues from what was stored.
 */
export interface SymbolConsumer {
  /** Of the last order that was applied; the next one is behind it. 0: none. */
  readonly position: number;
  /** Orders up to here are never asked for again, also after a crash: the stream may forget them. */
  readonly storedPosition: number;
  /** What was stored last when this object was opened: the stream is compared with it. */
  readonly opened: { position: number; lastStamp: string | null };
  /**
   * Takes the next orders, all with the positions behind `position`, and stores their results together with the
   * new position, both or neither, unless a later owner has stored: then it throws LeaseLost.
   */
  apply(orders: readonly OrderedOrder[]): Promise<void>;
  /** Called after each round, also without orders. */
  rest?(): Promise<void>;
}

/** A later owner of the partition has stored something: the caller must stop. */
export class LeaseLost extends Error {}

/** Nothing is read past it: a retry can't help while the stream is as it is. */
export class BrokenStream extends Error {}
