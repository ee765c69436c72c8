import type { GateHealth } from "../api/context";
import type { Alert, AlertCode } from "../domain/alert";
import { SHARD_COUNT } from "../filter/layout";
import type { PointerFollower } from "../filter/pointer";
import type { FilterReader } from "../filter/reader";
import type { OutboxLag } from "../outbox/outbox-lag";
import type { DatabaseTroubles } from "../process/database-troubles";
import type { Pool } from "../store/postgres";
import { probeWrite } from "../store/write-probe";
import type { OrderHealth, OrderHealthWatch } from "./order-health";
import type { ProcessesHealth, SupervisedProcesses } from "./supervised-processes";

/** Readers keep using an older pointer; health reports it as stale. */
const STALE_POINTER_MS = 5_000;

type HealthDeps = {
  pool: Pool;
  reader: FilterReader;
  pointer: PointerFollower;
  outboxLag: OutboxLag;
  processes: SupervisedProcesses;
  orders: OrderHealthWatch;
  databaseTroubles: DatabaseTroubles;
  slots: { problem: string | null };
  owner: { problem: string | null };
  redis: { trouble: { problem: string | null } };
};

/** The server's health, with the other processes and the order side as far as it knows of them. */
export type ServerHealth = GateHealth & { processes: ProcessesHealth; orders: OrderHealth };

/** The status is down only without a database that takes writes: without Redis, Postgres still gives right answers. */
export async function readHealth(deps: HealthDeps): Promise<ServerHealth> {
  const { pool, processes, pointer } = deps;
  const orders = deps.orders.current;
  const databaseDown = await probeWrite(pool);
  const problems = findProblems(databaseDown, deps);
  const alerts: Alert[] = problems
    .map(([code, text]) => ({ code, text, href: "/console/gate" }))
    .concat(slotAlerts(deps.slots), processes.alerts, orders.alerts);
  const current = pointer.current;
  return {
    status: databaseDown !== null ? "down" : alerts.length > 0 ? "degraded" : "ok",
    problems: alerts.map(({ text }) => text),
    alerts,
    filter: {
      version: current?.version ?? null,
      engine: current?.engine ?? null,
      errorRate: current?.errorRate ?? null,
      pointerAgeMs: Number.isFinite(pointer.ageMs) ? pointer.ageMs : null,
      openBreakers: deps.reader.openBreakers.length,
      fullShards: current?.full.length ?? 0,
    },
    processes: processes.health,
    orders: orders.health,
  };
}

function slotAlerts({ problem: text }: HealthDeps["slots"]): Alert[] {
  return text === null ? [] : [{ code: "replication_slot_holds_wal", text, href: "/console/outbox" }];
}

type GateParts = Pick<
  HealthDeps,
  "reader" | "pointer" | "outboxLag" | "databaseTroubles" | "owner" | "redis"
>;

function findProblems(
  databaseDown: string | null,
  { reader, pointer, outboxLag, databaseTroubles, owner, redis }: GateParts,
) {
  const problems: [code: AlertCode, text: string][] = [];
  const add = (code: AlertCode, text: string) => problems.push([code, text]);
  if (databaseDown !== null) {
    add("database_down", `${databaseDown}: signups fail, and checks may be answered with busy.`);
  } else {
    const refused = databaseTroubles.problems;
    if (refused.length > 0) add("database_refuses", refused.join(" "));
    if (!outboxLag.isWithinBound) add("filter_behind", behindText(outboxLag.ms));
  }
  const unreachable = redis.trouble.problem;
  if (unreachable !== null) add("redis_unreachable", `Redis is unreachable: ${unreachable}.`);
  else if (owner.problem !== null && databaseDown === null) add("redis_not_owned", owner.problem);
  const current = pointer.current;
  if (!current) add("no_filter", "No filter version is known: the database answers checks.");
  else if (pointer.ageMs > STALE_POINTER_MS) {
    const seconds = Math.round(pointer.ageMs / 1_000);
    add("pointer_stale", `The filter pointer could not be read for ${seconds} s: the last one is used.`);
  }
  if (reader.openBreakers.length > 0) {
    add("breaker_open", "Redis does not answer: the database answers checks.");
  }
  const full = current?.full.length ?? 0;
  if (full > 0) {
    add("shards_full", `${full} of ${SHARD_COUNT} filter shards are full: rebuild with a larger capacity.`);
  }
  const unsealed = reader.unsealedShards.length;
  if (unsealed > 0) {
    add(
      "shards_unsealed",
      `${unsealed} of ${SHARD_COUNT} filter shards are not ready: the database answers.`,
    );
  }
  return problems;
}

function behindText(lagMs: number | null): string {
  const confirmed = "the database confirms that names are free.";
  if (lagMs === null) return `It is unknown how far the relay is behind: ${confirmed}`;
  return `The filter lacks names of the last ${Math.ceil(lagMs / 1_000)} s: ${confirmed}`;
}
