import type { MatchedOrder } from "./read-matched-order";
import type { DeadLetterSearch } from "./search-dead-letters";
import type { LogSearch } from "./search-log";
import type { OrderedSearch } from "./search-ordered";

/** Where new orders of the account go: by the split of now, which may have been another one for this order. */
export type OrderRoute = {
  factor: number;
  strategy: string | null;
  subKey: string | null;
  shardId: string | null;
};

/** An order at each place that it passes, for the support case "where is my order?". */
export type OrderTrace = {
  accountId: string;
  orderId: string;
  symbol: string | null;
  /** The result in one sentence, for the answer to a support case. */
  conclusion: string;
  /** Whether this server took it, of its last 100,000 orders. */
  isKnownHere: boolean;
  route: OrderRoute | null;
  /** Null: not looked at, since the engine has the order. */
  log: (LogSearch & { isSearched: boolean }) | null;
  ordered: OrderedSearch | null;
  /** What holds up an order that is not matched; null: nothing is known. */
  waitsFor: string | null;
  engine: MatchedOrder | null;
  deadLetters: DeadLetterSearch;
};
