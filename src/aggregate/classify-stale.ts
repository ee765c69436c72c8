import { encodeOne } from "../store/codec/order-record";
import type { DeadLetter } from "./dead-letter-stream";
import { stampAt } from "./merge-runs";
import type { OrderedOutput } from "./ordered-output";
import type { StaleOrder } from "./symbol-buffer";

const SYMBOLS_AT_ONCE = 20;

/** Sorts stale orders into repeats, which are only counted, late orders, and unclear ones. */
export async function classifyStale(
  output: OrderedOutput,
  stale: readonly StaleOrder[],
  lastUsOf: (symbol: string) => number,
): Promise<{ duplicates: number; events: DeadLetter[] }> {
  const groups = [...groupBySymbol(stale)];
  const events: DeadLetter[] = [];
  let duplicates = 0;
  for (let from = 0; from < groups.length; from += SYMBOLS_AT_ONCE)
    await Promise.all(
      groups.slice(from, from + SYMBOLS_AT_ONCE).map(async ([symbol, orders]) => {
        const stamps = orders.map(({ placed, index }) => stampAt(placed.run, index));
        const found = await output.find(symbol, stamps);
        orders.forEach(({ placed: { run, shardId, position }, index }, i) => {
          if (found[i] === "yes") duplicates += 1;
          else
            events.push({
              id: `${shardId} ${position} ${index}`,
              reason: found[i] === "no" ? "late" : "unclear",
              event: { symbol, ...stamps[i]!, lastUs: lastUsOf(symbol) },
              record: encodeOne(run, index),
            });
        });
      }),
    );
  return { duplicates, events };
}

function groupBySymbol(stale: readonly StaleOrder[]): Map<string, StaleOrder[]> {
  const groups = new Map<string, StaleOrder[]>();
  for (const order of stale) {
    const { symbol } = order.placed.run;
    const group = groups.get(symbol);
    if (group) group.push(order);
    else groups.set(symbol, [order]);
  }
  return groups;
}
