import type { OrderStatus } from "../contract";

type Aggregator = OrderStatus["aggregators"][number];

/** One that holds symbols and does not know how late it is, such as one that keeps starting anew, comes first. */
export function slowestOf(aggregators: readonly Aggregator[]): Aggregator | undefined {
  const lag = ({ lagMs, partitions }: Aggregator) =>
    lagMs ?? (partitions.length > 0 ? Number.POSITIVE_INFINITY : -1);
  return aggregators.toSorted((a, b) => lag(b) - lag(a))[0];
}
