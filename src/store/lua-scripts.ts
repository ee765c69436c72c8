import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Cluster, Redis } from "ioredis";
import { NotOwnerError, type WriteGuard } from "./owner-guard";
import { ownerMarkKey } from "./redis-keys";

/** Beside this file in the source, and beside the bundles in a build. */
const FOLDER = new URL("./lua/", import.meta.url);

/** The text of lua/<name>.lua, with the files of its `-- include:` lines in their place. */
function readLua(name: string): string {
  const text = readFileSync(new URL(`${name}.lua`, FOLDER), "utf8");
  return text.replace(/^-- include: (.+)\.lua$/gm, (_, included: string) => readLua(included));
}

/** `numberOfKeys` is null where the caller says how many of the arguments are keys. */
type LuaScript = { lua: string; sha: string; numberOfKeys: number | null; isGuarded: boolean };

const GUARD = readLua("guard");

function load(lua: string, numberOfKeys: number | null, isGuarded: boolean): LuaScript {
  return { lua, sha: createHash("sha1").update(lua).digest("hex"), numberOfKeys, isGuarded };
}
const unguarded = (name: string, numberOfKeys: number | null) => load(readLua(name), numberOfKeys, false);
/** Guarded by the owner's mark in the hash tag of its keys. */
const guarded = (name: string, numberOfKeys: number | null) =>
  load(GUARD + readLua(name), numberOfKeys, true);

/**
 * The scripts of every client. Each file's header lists its KEYS, its ARGV and its reply. A script is routed to the
 * node that owns its keys, which ioredis cannot do for module commands; it speaks RESP2, so replies look the same
 * on a connection of either protocol.
 */
const SCRIPTS = {
  keyed: unguarded("keyed", 1),
  write: guarded("keyed", 1),
  claimOwner: unguarded("claim-owner", 1),
  bloomProbe: unguarded("bloom-probe", 1),
  bloomLoad: guarded("bloom-load", 1),
  bitmapAdd: guarded("bitmap-add", 1),
  bitmapReserve: guarded("bitmap-reserve", 1),
  bitmapLoad: guarded("bitmap-load", 1),
  bitmapSeal: guarded("bitmap-seal", 1),
  setPointer: guarded("set-pointer", 1),
  addRollups: guarded("add-rollups", null),
  sumFields: unguarded("sum-fields", null),
  replaceIfSame: guarded("replace-if-same", 1),
  orderAppend: guarded("order-append", 3),
  orderWatermark: guarded("order-watermark", 2),
  orderFence: guarded("order-fence", 1),
  orderForget: guarded("order-forget", 1),
  orderClose: guarded("order-close", 2),
  registryJoin: guarded("registry-join", 1),
  registryPublish: guarded("registry-publish", 2),
  registryLeave: guarded("registry-leave", 1),
  registryView: guarded("registry-view", 1),
  registryUnregistered: guarded("registry-unregistered", 1),
  registryRaise: guarded("registry-raise", 1),
  pauseSymbols: guarded("pause-symbols", 1),
  leasePartitions: guarded("lease-partitions", 1),
  leaseOwners: unguarded("lease-owners", 1),
  watermarkTurns: guarded("watermark-turns", 1),
  outputClaim: guarded("output-claim", 1),
  outputWrite: guarded("output-write", 2),
  outputPassed: guarded("output-passed", 2),
  outputContinue: guarded("output-continue", 3),
  checkpointWrite: guarded("checkpoint-write", 1),
  deadLetterAdd: guarded("dead-letter-add", 2),
};

/** Names and numbers of keys, for the test that goes through all of them. */
export const GUARDED_SCRIPTS = Object.entries(SCRIPTS)
  .filter(([, { isGuarded }]) => isGuarded)
  .map(([name, { numberOfKeys }]) => [name, numberOfKeys] as const);

type Argument = string | number | Buffer;
type Script = (...keysAndArguments: Argument[]) => Promise<unknown>;

/** What SCRIPTS add to a client. Replies are unknown on purpose: callers check their shape. */
export type ScriptedRedis = Record<Exclude<keyof typeof SCRIPTS, "addRollups" | "sumFields">, Script> & {
  addRollups(keyCount: number, ...keysAndArguments: Argument[]): Promise<unknown>;
  sumFields(keyCount: number, ...keysAndFields: Argument[]): Promise<unknown>;
};

/**
 * Adds the scripts as methods of the client; the guarded ones reject with NotOwnerError while Redis is not its own. ioredis' own option would copy each of them into every pipeline, of
 * which there is one for each turn of the event loop with a command.
 */
export function addScripts(client: Redis | Cluster, guard: WriteGuard): void {
  const methods = Object.entries(SCRIPTS).map(([name, script]) => [
    name,
    async (...args: Argument[]) => run(client, script, withMarks(guard, script, args)),
  ]);
  Object.assign(client, Object.fromEntries(methods));
}

/** How many of the arguments are keys, then the arguments; the mark follows the keys, and the caller's mark all. */
function withMarks(guard: WriteGuard, { numberOfKeys, isGuarded }: LuaScript, args: Argument[]): Argument[] {
  const [count, ...rest] = numberOfKeys === null ? args : [numberOfKeys, ...args];
  const keys = Number(count);
  if (!isGuarded) return [keys, ...rest];
  const mark = ownerMarkKey(String(rest[0]));
  return [keys + 1, ...rest.slice(0, keys), mark, ...rest.slice(keys), guard.mark()];
}

async function run(client: Redis | Cluster, { lua, sha }: LuaScript, args: Argument[]): Promise<unknown> {
  const [keys, ...rest] = args;
  try {
    return await client.evalsha(sha, Number(keys), ...rest).catch((error: Error) => {
      // A server that has started since forgets its scripts, and so does each new master.
      if (!error.message.startsWith("NOSCRIPT")) throw error;
      return client.eval(lua, Number(keys), ...rest);
    });
  } catch (error) {
    const isOthers = error instanceof Error && error.message.startsWith("OTHEROWNER");
    // The owner has changed since this process compared it.
    throw isOthers ? new NotOwnerError(error.message, { cause: error }) : error;
  }
}
