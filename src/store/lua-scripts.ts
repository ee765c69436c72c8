import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Cluster, Redis } from "ioredis";

/** Beside this file in the source, and beside the bundles in a build. */
const FOLDER = new URL("./lua/", import.meta.url);

/** The text of lua/<name>.lua, with the files of its `-- include:` lines in their place. */
function readLua(name: string): string {
  const text = readFileSync(new URL(`${name}.lua`, FOLDER), "utf8");
  return text.replace(/^-- include: (.+)\.lua$/gm, (_, included: string) => readLua(included));
}

type LuaScript = { lua: string; sha: string; numberOfKeys: number | null };

function script(name: string, numberOfKeys: number | null): LuaScript {
  const lua = readLua(name);
  return { lua, sha: createHash("sha1").update(lua).digest("hex"), numberOfKeys };
}
/** Its caller says how many of the arguments are keys. */
const variadicScript = (name: string) => script(name, null);

/**
 * The scripts of every client. Each file's header lists its KEYS, its ARGV and its reply. A script is routed to the
 * node that owns its keys, which ioredis cannot do for module commands; it speaks RESP2, so replies look the same
 * on a connection of either protocol.
 */
const SCRIPTS = {
  keyed: script("keyed", 1),
  bloomProbe: script("bloom-probe", 1),
  bloomLoad: script("bloom-load", 1),
  bitmapAdd: script("bitmap-add", 1),
  bitmapReserve: script("bitmap-reserve", 1),
  bitmapLoad: script("bitmap-load", 1),
  bitmapSeal: script("bitmap-seal", 1),
  setPointer: script("set-pointer", 1),
  addRollups: variadicScript("add-rollups"),
  sumFields: variadicScript("sum-fields"),
  replaceIfSame: script("replace-if-same", 1),
  orderAppend: script("order-append", 3),
  orderWatermark: script("order-watermark", 2),
  orderFence: script("order-fence", 1),
  orderForget: script("order-forget", 1),
  orderClose: script("order-close", 2),
  registryJoin: script("registry-join", 1),
  registryPublish: script("registry-publish", 2),
  registryLeave: script("registry-leave", 1),
  registryView: script("registry-view", 1),
  registryUnregistered: script("registry-unregistered", 1),
  registryRaise: script("registry-raise", 1),
  pauseSymbols: script("pause-symbols", 1),
  leasePartitions: script("lease-partitions", 1),
  leaseOwners: script("lease-owners", 1),
  watermarkTurns: script("watermark-turns", 1),
  outputClaim: script("output-claim", 1),
  outputWrite: script("output-write", 2),
  outputPassed: script("output-passed", 2),
  outputContinue: script("output-continue", 3),
  checkpointWrite: script("checkpoint-write", 1),
  deadLetterAdd: script("dead-letter-add", 2),
};

type Argument = string | number | Buffer;
type Script = (...keysAndArguments: Argument[]) => Promise<unknown>;

/** What SCRIPTS add to a client. Replies are unknown on purpose: callers check their shape. */
export type ScriptedRedis = Record<Exclude<keyof typeof SCRIPTS, "addRollups" | "sumFields">, Script> & {
  addRollups(keyCount: number, ...keysAndArguments: Argument[]): Promise<unknown>;
  sumFields(keyCount: number, ...keysAndFields: Argument[]): Promise<unknown>;
};

/**
 * Adds the scripts as methods of the client. ioredis' own option would copy each of them into every pipeline, of
 * which there is one for each turn of the event loop with a command.
 */
export function addScripts(client: Redis | Cluster): void {
  const methods = Object.entries(SCRIPTS).map(([name, script]) => [
    name,
    (...args: Argument[]) => run(client, script, args),
  ]);
  Object.assign(client, Object.fromEntries(methods));
}

async function run(
  client: Redis | Cluster,
  { lua, sha, numberOfKeys }: LuaScript,
  args: Argument[],
): Promise<unknown> {
  const [keys, ...rest] = numberOfKeys === null ? args : [numberOfKeys, ...args];
  try {
    return await client.evalsha(sha, Number(keys), ...rest);
  } catch (error) {
    // A server that has started since forgets its scripts, and so does each new master.
    if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
    return client.eval(lua, Number(keys), ...rest);
  }
}
