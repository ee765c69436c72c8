import { readUsername } from "../../domain/username/username-policy";
import type { Engines } from "../../filter/detect-engine";
import type { Lookup, ShardState } from "../../filter/engine";
import { shardOf } from "../../filter/layout";
import { listVersions, type StoredVersion } from "../../filter/versions";
import { eventsOfKey, type OutboxEvent } from "../../outbox/dead-letters";
import type { Pool, PrismaClient } from "../../store/postgres";
import { shardName } from "../../store/redis-keys";
import type { ReservedMatcher } from "../reserved-words/reserved-words";

export type TraceDeps = {
  pool: Pool;
  prisma: PrismaClient;
  engines: Engines;
  reserved: { matcher: ReservedMatcher };
};

type Owner = { id: string; username: string; createdAt: Date };
export type VersionTrace = {
  version: number;
  state: string;
  engine: string;
  shardState: ShardState | "unreachable";
  answer: Lookup | "error";
  ms: number;
};

export type NameTrace = {
  verdict: { ok: true } | { ok: false; rule: string; message: string };
  username?: string;
  key?: string;
  skeleton?: string;
  policyVersion?: number;
  reserved: { pattern: string; kind: string; reason: string } | null;
  shard?: string;
  versions: VersionTrace[];
  database: { byKey: Owner | null; bySkeleton: Owner | null };
  outbox: OutboxEvent[];
  /** The result in one sentence, for the answer to a support case. */
  conclusion: string;
};

/** The state of one name in every part of the gate, for the support case "I can't sign up". Changes nothing. */
export async function traceName(deps: TraceDeps, raw: string): Promise<NameTrace> {
  const name = readUsername(raw);
  if (!name.ok) {
    const verdict = { ok: false as const, rule: name.rule, message: name.message };
    const nothing = { reserved: null, versions: [], database: { byKey: null, bySkeleton: null }, outbox: [] };
    return { verdict, ...nothing, conclusion: `The policy refuses this name: ${name.message}` };
  }
  const { username, key, skeleton, policyVersion } = name;
  const shard = shardOf(key);
  const select = { id: true, username: true, createdAt: true };
  const [byKey, bySkeleton, outbox, stored] = await Promise.all([
    deps.prisma.user.findUnique({ where: { usernameKey: key }, select }),
    deps.prisma.user.findUnique({ where: { usernameSkeleton: skeleton }, select }),
    eventsOfKey(deps.pool, key),
    listVersions(deps.pool),
  ]);
  const live = stored.filter(version => version.state !== "retired");
  const versions = await Promise.all(
    live.map(version => traceVersion(deps.engines, version, { shard, key })),
  );
  const trace = {
    verdict: { ok: true as const },
    username,
    key,
    skeleton,
    policyVersion,
    reserved: deps.reserved.matcher(name),
    shard: shardName(shard),
    versions,
    database: { byKey, bySkeleton },
    outbox,
  };
  return { ...trace, conclusion: conclude(trace) };
}

async function traceVersion(
  engines: Engines,
  stored: StoredVersion,
  { shard, key }: { shard: number; key: string },
): Promise<VersionTrace> {
  const engine = engines[stored.engine];
  const startedAt = performance.now();
  const answer = await engine.lookup(stored, shard, key).catch(() => "error" as const);
  const ms = Math.round((performance.now() - startedAt) * 100) / 100;
  const shardState = await engine.probe(stored, shard).catch(() => "unreachable" as const);
  return { version: stored.version, state: stored.state, engine: stored.engine, shardState, answer, ms };
}

function conclude(trace: Omit<NameTrace, "conclusion">): string {
  const { database, reserved, versions, outbox } = trace;
  const active = versions.find(version => version.state === "active");
  if (reserved) return `This name is reserved (${reserved.reason}).`;
  if (database.byKey) {
    const owner = `This name belongs to ${database.byKey.username}`;
    if (active?.answer === "absent") {
      const waiting = outbox.some(event => event.state === "pending" || event.state === "claimed");
      return waiting
        ? `${owner}. The filter does not have it yet: its event waits for the relay.`
        : `${owner}, but the filter answers absent: a false negative. The database still refuses a signup.`;
    }
    return `${owner}. A signup is refused as taken.`;
  }
  if (database.bySkeleton) {
    return `This name looks too much like ${database.bySkeleton.username}, so a signup is refused.`;
  }
  if (active?.answer === "maybe") {
    return "This name is free. The filter answers maybe (a false positive, or a name that was released), and the database confirms that it is free.";
  }
  return active?.answer === "absent"
    ? "This name is free."
    : "This name is free in the database. The filter proves nothing at the moment.";
}
