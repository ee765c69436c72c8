import { SHARD_COUNT } from "../filter/layout";
import type { PointerFollower } from "../filter/pointer";
import type { FilterReader } from "../filter/reader";
import type { Health } from "../runtime/health";
import type { Pool } from "../store/postgres";

/** What is wrong and what it means, and the console's page that shows the cause. */
export type Alert = { code: string; text: string; href: string };

export type ServerHealth = Health & {
  alerts: Alert[];
  filter: {
    version: number | null;
    engine: string | null;
    errorRate: number | null;
    pointerAgeMs: number | null;
    openBreakers: number;
    fullShards: number;
  };
};

/** A pointer older than this is stale: readers go on with it, and health says so. */
const STALE_POINTER_MS = 5_000;

/**
 * Down only without the database: without Redis people still get right answers from Postgres.
 */
export async function readHealth(deps: {
  pool: Pool;
  reader: FilterReader;
  pointer: PointerFollower;
}): Promise<ServerHealth> {
  const { pool, reader, pointer } = deps;
  const alerts: Alert[] = [];
  const alert = (code: string, text: string, href = "/console/gate") => alerts.push({ code, text, href });
  const database = await answersInTime(pool);
  if (!database) {
    alert(
      "database_down",
      "The database does not answer: signups fail, checks answer from the filter alone.",
    );
  }
  const current = pointer.current;
  if (!current) alert("no_filter", "No filter version is known yet: checks are answered by the database.");
  else if (pointer.ageMs > STALE_POINTER_MS) {
    const seconds = Math.round(pointer.ageMs / 1_000);
    alert("pointer_stale", `The filter pointer could not be read for ${seconds} s: using the last one.`);
  }
  const openBreakers = reader.openBreakers;
  if (openBreakers.length > 0)
    alert("breaker_open", "Redis does not answer: checks are answered by the database.");
  const full = current?.full.length ?? 0;
  if (full > 0)
    alert("shards_full", `${full} of ${SHARD_COUNT} filter shards are full: a larger version is needed.`);
  const unsealed = reader.unsealedShards.length;
  if (unsealed > 0) {
    const text = `${unsealed} of ${SHARD_COUNT} filter shards are not ready: the database answers for them.`;
    alert("shards_unsealed", text);
  }
  return {
    status: !database ? "down" : alerts.length > 0 ? "degraded" : "ok",
    problems: alerts.map(({ text }) => text),
    alerts,
    filter: {
      version: current?.version ?? null,
      engine: current?.engine ?? null,
      errorRate: current?.errorRate ?? null,
      pointerAgeMs: Number.isFinite(pointer.ageMs) ? pointer.ageMs : null,
      openBreakers: openBreakers.length,
      fullShards: full,
    },
  };
}

/** A probe of a load balancer waits a second or so, and must not wait for a hanging database. */
const DATABASE_PROBE_MS = 800;
const looks = new WeakMap<Pool, Promise<boolean>>();

/** One look at a time, however many ask: health is open to anyone, and connections are few. */
function answersInTime(pool: Pool): Promise<boolean> {
  const running = looks.get(pool);
  if (running) return running;
  const query = pool.query("SELECT 1").then(
    () => true,
    () => false,
  );
  const look = Promise.race([
    query,
    new Promise<false>(resolve => setTimeout(resolve, DATABASE_PROBE_MS, false)),
  ]);
  looks.set(pool, look);
  // Kept until the query itself has ended, so that a hanging database holds one connection at most.
  void query.then(() => looks.delete(pool));
  return look;
}
