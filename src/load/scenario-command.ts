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
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, redisIsReady } from "../store/redis";
import { readScenarioOptions, type ScenarioName } from "./options";

const CHOICES: Record<ScenarioName, readonly KeyChoice[]> = {
  random: ["random"],
  hash: ["hash"],
  split: ["splitPlain", "splitPlanned"],
  all: KEY_CHOICES,
};

type ScenarioResults = Partial<Record<KeyChoice, ScenarioResult>>;

/** `npm run load -- scenario`: the same traffic with each choice of keys. Resolves to whether no order was lost. */
export async function runScenarioCommand(args: string[]): Promise<boolean> {
  const { scenario, json, ...options } = readScenarioOptions(args);
  const { symbol, rate, seconds, shards, producers } = options;
  console.log(
    `${rate} orders/s of ${symbol} from ${producers} producers for ${seconds} s, ${shards} shards of 1,000 records/s each`,
  );
  const results = await runScenarios(CHOICES[scenario], options);
  console.table(results);
  for (const [choice, result] of Object.entries(results)) console.log(inWords(choice as KeyChoice, result));
  if (json) console.log(JSON.stringify(results));
  return Object.values(results).every(({ lost }) => lost === 0);
}

/** Runs the scenarios one after the other on a temporary Redis. */
async function runScenarios(
  choices: readonly KeyChoice[],
  options: ScenarioOptions,
): Promise<ScenarioResults> {
  const dataDir = await mkdtemp(join(tmpdir(), "floodgate-scenario-"));
  const embedded = await startEmbedded({ dataDir, needPostgres: false, needRedis: true, log: () => {} });
  const connection = {
    url: embedded.redisUrl!,
    connectionName: "scenario",
    commandTimeoutMs: 5_000,
    guard: UNGUARDED,
  };
  const redis = createRedis(connection, error => console.error(error.message));
  try {
    if (!(await redisIsReady(redis, 10_000))) throw new Error("Redis does not answer.");
    const results: ScenarioResults = {};
    for (const choice of choices) {
      results[choice] = (await runScenario(redis, { choice, options, onError: console.error })).result;
    }
    return results;
  } finally {
    redis.disconnect();
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const CHOICE_NAMES: Record<KeyChoice, string> = {
  random: "random keys, in order of arrival",
  hash: "one key per symbol, one shard",
  splitPlain: "split, suffixes 1 to N",
  splitPlanned: "split, planned suffixes",
};

function inWords(
  choice: KeyChoice,
  { violations, throttled, turnedAway, lost, capacityInShards }: ScenarioResult,
): string {
  const facts = [
    `${violations} sold before bought`,
    `${throttled} throttled`,
    `${turnedAway} turned away`,
    `${lost} lost`,
    `capacity of ${capacityInShards} shards`,
  ].join(", ");
  return `${CHOICE_NAMES[choice]}: ${facts}`;
}
