import type { ScenarioFigures, ScenarioResult } from "../../../domain/lab/scenario";
import { formatCount, formatQuantity } from "../parts/format";

export type Measure = {
  id: keyof ScenarioResult;
  title: string;
  about: string;
  text: (value: number) => string;
  /** What is bad when there is any of it. */
  isFault?: boolean;
};

/** What is compared, in the order of the argument: order first, then room, then time. */
export const MEASURES: readonly Measure[] = [
  {
    id: "violations",
    title: "Sold before bought",
    about: "Sales that reached the engine before the purchase of what they sell.",
    text: formatCount,
    isFault: true,
  },
  {
    id: "throttled",
    title: "Throttled",
    about: "Times a record met its shard's limit and was sent again.",
    text: formatCount,
    isFault: true,
  },
  {
    id: "lost",
    title: "Lost",
    about: "Orders turned away since buffers were full, or never seen by the engine.",
    text: formatCount,
    isFault: true,
  },
  {
    id: "ordersPerSecond",
    title: "Orders",
    about: "Orders that became durable, per second, after the first burst.",
    text: value => `${formatCount(value)} /s`,
  },
  {
    id: "capacityInShards",
    title: "Capacity",
    about: "The same, in limits of one shard.",
    text: value => `${value.toFixed(2)} shards`,
  },
  {
    id: "busiestShardRatio",
    title: "Busiest shard",
    about: "Its share of all records.",
    text: value => formatQuantity(value, "ratio"),
  },
  {
    id: "latencyP50Ms",
    title: "Latency p50",
    about: "From an order's stamp to the engine, half of them.",
    text: value => formatQuantity(value, "ms"),
  },
  {
    id: "latencyP99Ms",
    title: "Latency p99",
    about: "From an order's stamp to the engine, 99 of 100.",
    text: value => formatQuantity(value, "ms"),
  },
];

/** The longest bar of a measure: the highest of all scenarios that are known. */
export function topOf(measure: Measure, all: readonly (ScenarioFigures | null)[]): number {
  return Math.max(0, ...all.map(figures => figures?.[measure.id] ?? 0));
}
