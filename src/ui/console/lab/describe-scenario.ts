import type { KeyChoice, ScenarioFigures, ScenarioOptions } from "../../../domain/lab/scenario";
import { formatCount, formatQuantity } from "../parts/format";
import type { State } from "../parts/state-badge";

export const SCENARIO_TITLES: Record<KeyChoice, { title: string; how: string }> = {
  random: { title: "Random keys", how: "Any shard; no order restored" },
  hash: { title: "One key per symbol", how: "One shard; no order restored" },
  splitPlain: { title: "Split, plain suffixes", how: "Suffixes 1 to N; order restored" },
  splitPlanned: { title: "Split, planned suffixes", how: "One shard per suffix; order restored" },
};

/** The verdict on a scenario: lost orders first, then order, throttling and orders that were turned away. */
export function verdictOf({ violations, throttled, turnedAway, lost }: ScenarioFigures): {
  state: State;
  word: string;
} {
  if (violations === null || throttled === null) return { state: "unknown", word: "Not measured" };
  if (lost) return { state: "critical", word: "Orders lost" };
  if (violations > 0) return { state: "critical", word: "Out of order" };
  if (throttled > 0) return { state: "critical", word: "Throttled" };
  // No shard throttled them: the machine did not keep up with the rate.
  if (turnedAway) return { state: "critical", word: "Orders turned away" };
  return { state: "ok", word: "In order, on time" };
}

/** A scenario's figures in a few sentences. */
export function describeScenario(
  choice: KeyChoice,
  figures: ScenarioFigures,
  options: ScenarioOptions,
): string {
  const text = describeChoice(choice, figures, options);
  return figures.lost
    ? `${formatCount(figures.lost)} accepted orders never reached the engine. ${text}`
    : text;
}

function describeChoice(
  choice: KeyChoice,
  figures: ScenarioFigures,
  { symbol, shards }: ScenarioOptions,
): string {
  const { violations, throttled, turnedAway, capacityInShards, latencyP50Ms, recordsPerShard } = figures;
  const used = recordsPerShard.filter(count => count > 0).length;
  const misordered = violations ?? 0;
  const refused = turnedAway ? `, and ${formatCount(turnedAway)} orders were turned away` : "";
  const full = throttled
    ? `Records were throttled ${formatCount(throttled)} times${refused}`
    : "No record was throttled at this rate";
  const latency =
    latencyP50Ms === null ? "" : `, with a median latency of ${formatQuantity(latencyP50Ms, "ms")}`;
  switch (choice) {
    case "random":
      return misordered > 0
        ? `All ${shards} shards share the load, but the order is not restored: ${formatCount(misordered)} sales arrived before their purchase.`
        : `All ${shards} shards share the load. No sale overtook its purchase in this run, but nothing prevents it.`;
    case "hash":
      return `One shard keeps the order and takes all orders of ${symbol}; the other ${shards - 1} shards are idle. ${full}.`;
    case "splitPlain":
      return `${symbol}-1 to ${symbol}-${shards} hash to ${used} of ${shards} shards, so a split by ${shards} has ${capacityText(capacityInShards)}. ${full}.`;
    case "splitPlanned":
      return [
        `Each suffix has its own shard. The split has ${capacityText(capacityInShards)}.`,
        throttled ? `${full}.` : "",
        !throttled && turnedAway
          ? `${formatCount(turnedAway)} orders were turned away: buffers were full.`
          : "",
        misordered > 0
          ? `${formatCount(misordered)} orders arrived out of order.`
          : `All orders arrived in order${latency}.`,
      ]
        .filter(part => part !== "")
        .join(" ");
  }
}

const capacityText = (shards: number | null) =>
  shards === null ? "a capacity that is not measured yet" : `the capacity of ${shards.toFixed(2)} shards`;
