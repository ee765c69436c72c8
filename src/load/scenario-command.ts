import { type KeyChoice, runScenarios, type ScenarioResult } from "./run-scenario";
import { readScenarioOptions, SCENARIO_USAGE, type ScenarioOptions } from "./scenario-options";

const CHOICES: Record<ScenarioOptions["scenario"], readonly KeyChoice[]> = {
  random: ["random"],
  hash: ["hash"],
  split: ["splitPlain", "splitPlanned"],
  all: ["random", "hash", "splitPlain", "splitPlanned"],
};

/** `npm run load -- scenario …`: what the article argues, measured. */
export async function runScenarioCommand(args: string[]): Promise<void> {
  const options = readOrExit(args);
  const { scenario, symbol, rate, seconds, shards, producers, json } = options;
  console.log(
    `${rate} orders/s of ${symbol} from ${producers} producers for ${seconds} s, ${shards} shards of 1,000 records/s each`,
  );
  const results = await runScenarios(CHOICES[scenario], options);
  console.table(results);
  for (const [choice, result] of Object.entries(results)) console.log(inWords(choice as KeyChoice, result));
  if (json) console.log(JSON.stringify(results));
}

function inWords(
  choice: KeyChoice,
  { violations, throttled, lost, capacityInShards }: ScenarioResult,
): string {
  const facts = `${violations} sold before bought, ${throttled} throttled, ${lost} lost, ${capacityInShards} shards' worth`;
  const names: Record<KeyChoice, string> = {
    random: "random keys, taken as they arrive",
    hash: "one key per symbol, one shard",
    splitPlain: "split, suffixes 1 to N",
    splitPlanned: "split, planned suffixes",
  };
  return `${names[choice]}: ${facts}`;
}

function readOrExit(args: string[]): ScenarioOptions {
  try {
    return readScenarioOptions(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${SCENARIO_USAGE}`);
    process.exit(2);
  }
}
