import leven from "leven";
import { filterEnv } from "./filter-env";
import { aggregatorEnv, engineEnv, labEnv } from "./order-env";
import { relayEnv } from "./relay-env";
import { serverEnv } from "./server-env";
import { supervisorEnv } from "./supervisor-env";

const SCHEMAS = [supervisorEnv, serverEnv, relayEnv, filterEnv, aggregatorEnv, engineEnv, labEnv];
/** Read by the commands, not by a process. */
const OF_COMMANDS = ["FLOODGATE_URL", "FLOODGATE_TOKEN"];
const KNOWN: readonly string[] = [
  ...new Set(SCHEMAS.flatMap(schema => Object.keys(schema.shape)).concat(OF_COMMANDS)),
];

/** Names that start like this are ours alone. */
const OURS =
  /^(FLOODGATE|ORDERS?|KINESIS|ENGINE|FILTER|RELAY|RECONCILE|CONFIRM|OUTBOX|SIGNUPS|SIGNINS|OIDC)_/;
/** Kubernetes adds such variables for each service of a namespace. */
const OF_KUBERNETES = /_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT_\d+_.*)$/;
const MAX_DISTANCE = 2;
/** Shorter names are near to too many others. */
const MIN_LENGTH = 8;

/**
 * Names of variables that look like ours and are not, each with the nearest known one. A name counts when
 * it has one of our prefixes, or is misspelt: within two letters of a known variable that is not set.
 */
export function unknownNames(env: Readonly<Record<string, string | undefined>>): string[] {
  const problems: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (KNOWN.includes(name) || OF_KUBERNETES.test(name) || value?.startsWith("tcp://")) continue;
    const nearest = nearestTo(name);
    const isMisspelt =
      name.length >= MIN_LENGTH && leven(name, nearest) <= MAX_DISTANCE && env[nearest] === undefined;
    if (!OURS.test(name) && !isMisspelt) continue;
    problems.push(`  ${name}: there is no such variable. Did you mean ${nearest}?`);
  }
  return problems;
}

/** @throws an error that lists every unknown name */
export function checkNames(env: Readonly<Record<string, string | undefined>>): void {
  const problems = unknownNames(env);
  if (problems.length > 0)
    throw new Error(
      `The environment is not usable:\n${problems.join("\n")}\nRemove or rename these variables. docs/configuration.md lists all.`,
    );
}

function nearestTo(name: string): string {
  const distances = KNOWN.map(known => leven(name, known));
  return KNOWN[distances.indexOf(Math.min(...distances))]!;
}
