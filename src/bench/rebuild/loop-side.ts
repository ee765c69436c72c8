import { closeSocket, snapshotClient } from "../../filter/build/snapshot";
import { ALL_SHARDS, bitsOf, type FilterVersion, shardLayout, shardOf } from "../../filter/layout";
import type { RedisClient } from "../../store/redis";
import { filterKey } from "../../store/redis-keys";
import { openEngine } from "./open-engine";
import type { Figures, SideInput } from "./side-input";

/** The rate does not depend on how long it lasts. */
const ROWS = 300_000;
const PAGE = 50_000;
const BATCH = 500;

/** The plain way: a loop in JavaScript that hashes each row and sends BF.MADD or BITFIELD in batches. */
export async function loopSide(input: SideInput): Promise<Figures> {
  const { redis, engine, version, close } = await openEngine(input);
  await Promise.all(ALL_SHARDS.map(shard => engine.reserve(version, shard)));
  const client = snapshotClient({ databaseUrl: input.databaseUrl, timeLimitMs: 600_000 });
  await client.connect();
  const startedAt = performance.now();
  await client.query("BEGIN");
  await client.query(`DECLARE names CURSOR FOR SELECT username_key FROM users LIMIT ${ROWS}`);
  const waiting = ALL_SHARDS.map((): string[] => []);
  const send = (shard: number) => addBatch(redis, version, shard, waiting[shard]!.splice(0));
  for (;;) {
    const { rows } = await client.query<[string]>({ text: `FETCH ${PAGE} FROM names`, rowMode: "array" });
    const sent: Promise<unknown>[] = [];
    for (const [name] of rows) {
      const shard = shardOf(name);
      if (waiting[shard]!.push(name) === BATCH) sent.push(send(shard));
    }
    await Promise.all(sent);
    if (rows.length < PAGE) break;
  }
  await Promise.all(ALL_SHARDS.map(send));
  const ms = performance.now() - startedAt;
  closeSocket(client);
  await close();
  return { ms, rows: ROWS };
}

async function addBatch(redis: RedisClient, version: FilterVersion, shard: number, names: string[]) {
  if (names.length === 0) return;
  const key = filterKey(shard, version.version);
  if (version.engine === "redisbloom") return redis.write(key, "BF.MADD", ...names);
  const layout = shardLayout(version);
  const args: (string | number)[] = [];
  for (const name of names) {
    // A byte's bits from the lowest, as RedisBloom has them; BITFIELD counts from the highest.
    for (const bit of bitsOf(name, layout)) args.push("SET", "u1", bit + 7 - 2 * (bit % 8), 1);
  }
  return redis.call("BITFIELD", key, ...args);
}
