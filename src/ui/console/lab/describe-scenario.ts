import type { KeyChoice, ScenarioFigures, ScenarioOptions } from "../../../domain/lab/scenario";
import { formatCount, formatQuantity } from "../parts/format";
import type { State } from "../parts/state-badge";

export const SCENARIO_TITLES: Record<KeyChoice, { title: string; how: string }> = {
  random: { title: "Random keys", how: "Any shard, taken as they arrive" },
  hash: { title: "One key per symbol", how: "One shard, taken as they arrive" },
  splitPlain: { title: "Split, plain suffixes", how: "Suffixes 1 to N, put in order again" },
  splitPlanned: { title: "Split, planned suffixes", how: "A shard for each, put in order again" },
};

/** Is this a way to run a market? In one word, with the state it stands for. */
export function verdictOf({ violations, throttled, lost }: ScenarioFigures): { state: State; word: string } {
  if (violations === null || throttled === null) return { state: "unknown", word: "Not known yet" };
  if (violations > 0) return { state: "critical", word: "Out of order" };
  if (throttled > 0) return { state: "warning", word: "Throttled" };
  // No shard refused them: the machine did not keep up with the rate.
  if (lost) return { state: "warning", word: "Orders turned away" };
  return { state: "ok", word: "In order, in time" };
}

/** What one sees in a scenario's figures, in a sentence or two. */
export function describeScenario(
  choice: KeyChoice,
  figures: ScenarioFigures,
  { symbol, shards }: ScenarioOptions,
): string {
  const { violations, throttled, lost, capacityInShards, latencyP50Ms, recordsPerShard } = figures;
  const used = recordsPerShard.filter(count => count > 0).length;
  const overtaken = violations ?? 0;
  const loss = lost ? ` and ${formatCount(lost)} orders were turned away` : "";
  const full = throttled
    ? `${formatCount(throttled)} times a record met the limit${loss}`
    : "Nothing met a limit at this rate";
  switch (choice) {
    case "random":
      return overtaken > 0
        ? `All ${shards} shards share the load, but nothing puts them in order again: ${formatCount(overtaken)} sales arrived before their purchase.`
        : `All ${shards} shards share the load. No sale overtook its purchase this time; nothing keeps one from doing so.`;
    case "hash":
      return `One shard keeps the order, and takes every order of ${symbol}, while ${shards - 1} stand idle. ${full}.`;
    case "splitPlain":
      return `${symbol}-1 to ${symbol}-${shards} hash to ${used} of ${shards} shards, so a split by ${shards} buys ${capacityText(capacityInShards)}. ${full}.`;
    case "splitPlanned":
      return [
        `Each suffix has a shard of its own: ${capacityText(capacityInShards)}.`,
        throttled ? `${full}.` : "",
        !throttled && lost ? `${formatCount(lost)} orders were turned away: buffers were full.` : "",
        overtaken > 0
          ? `${formatCount(overtaken)} came out of order.`
          : `Every order came in its place, after a wait of ${latencyP50Ms === null ? "moments" : formatQuantity(latencyP50Ms, "ms")}.`,
      ]
        .filter(part => part !== "")
        .join(" ");
  }
}

const capacityText = (shards: number | null) =>
  shards === null ? "what has not been measured yet" : `the room of ${shards.toFixed(2)} shards`;
