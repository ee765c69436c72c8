import type { ScenarioFigures, ScenarioResult } from "../../../domain/lab/scenario";
import { formatCount, formatQuantity } from "../parts/format";

export type Measure = {
  id: keyof ScenarioResult;
  title: string;
  about: string;
  text: (value: number) => string;
  /** Any value above 0 is bad. */
  isFault?: boolean;
};

/** The compared figures: first order and loss, then throughput, then latency. */
export const MEASURES: readonly Measure[] = [
  {
    id: "violations",
    title: "Order violations",
    about: "Sales that reached the engine before their purchase.",
    text: formatCount,
    isFault: true,
  },
  {
    id: "throttled",
    title: "Throttled records",
    about: "Records that exceeded their shard's limit and were retried, once per retry.",
    text: formatCount,
    isFault: true,
  },
  {
    id: "turnedAway",
    title: "Orders turned away",
    about: "Orders that were refused because buffers were full, and sales whose purchase was refused.",
    text: formatCount,
    isFault: true,
  },
  {
    id: "lost",
    title: "Lost orders",
    about: "Orders that were accepted and never reached the engine. Known at the end; must be 0.",
    text: formatCount,
    isFault: true,
  },
  {
    id: "ordersPerSecond",
    title: "Throughput",
    about: "Orders that became durable, per second, after the first burst.",
    text: value => `${formatCount(value)} /s`,
  },
  {
    id: "capacityInShards",
    title: "Capacity",
    about: "The throughput in multiples of the limit of one shard.",
    text: value => `${value.toFixed(2)} shards`,
  },
  {
    id: "busiestShardRatio",
    title: "Busiest shard",
    about: "Its ratio of all records.",
    text: value => formatQuantity(value, "ratio"),
  },
  {
    id: "latencyP50Ms",
    title: "Latency p50",
    about: "The median time from an order's stamp to the engine.",
    text: value => formatQuantity(value, "ms"),
  },
  {
    id: "latencyP99Ms",
    title: "Latency p99",
    about: "The time from an order's stamp to the engine, for 99 of 100 orders.",
    text: value => formatQuantity(value, "ms"),
  },
];

/** The value of the longest bar of a measure: the highest of all scenarios. */
export function topOf(measure: Measure, all: readonly (ScenarioFigures | null)[]): number {
  return Math.max(0, ...all.map(figures => figures?.[measure.id] ?? 0));
}
