import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  KEY_CHOICES,
  type KeyChoice,
  type ScenarioOptions,
  type ScenarioResult,
} from "../domain/lab/scenario";
import { startEmbedded } from "../runtime/embedded/start-embedded";
import { runScenario } from "../scenario/run-scenario";
import { createRedis, redisIsReady } from "../store/redis";
import { readScenarioOptions, SCENARIO_USAGE, type ScenarioCommand } from "./scenario-options";

const CHOICES: Record<ScenarioCommand["scenario"], readonly KeyChoice[]> = {
  random: ["random"],
  hash: ["hash"],
  split: ["splitPlain", "splitPlanned"],
  all: KEY_CHOICES,
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

export type ScenarioResults = Partial<Record<KeyChoice, ScenarioResult>>;

/** Runs the scenarios one after the other on a Redis of their own. */
export async function runScenarios(
  choices: readonly KeyChoice[],
  options: ScenarioOptions,
): Promise<ScenarioResults> {
  const dataDir = await mkdtemp(join(tmpdir(), "floodgate-scenario-"));
  const embedded = await startEmbedded({ dataDir, needPostgres: false, needRedis: true, log: () => {} });
  const connection = { url: embedded.redisUrl!, connectionName: "scenario", commandTimeoutMs: 5_000 };
  const redis = createRedis(connection, error => console.error(error.message));
  try {
    if (!(await redisIsReady(redis, 10_000))) throw new Error("Redis does not answer.");
    const results: ScenarioResults = {};
    for (const choice of choices)
      results[choice] = (await runScenario(redis, { choice, options, onError: console.error })).result;
    return results;
  } finally {
    redis.disconnect();
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
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

function readOrExit(args: string[]): ScenarioCommand {
  try {
    return readScenarioOptions(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${SCENARIO_USAGE}`);
    process.exit(2);
  }
}
