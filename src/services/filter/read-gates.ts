import {
  evaluateGates,
  type Gate,
  type ShadowCounts,
  type VerificationReport,
} from "../../domain/filter/filter-gates";
import { measureBacklog } from "../../outbox/backlog";
import type { Pool } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";
import { idOf } from "../../telemetry/instruments";
import { readTotals } from "../../telemetry/read-totals";

export type GateDeps = { pool: Pool; redis: RedisClient };

type Gated = { errorRate: number; report: unknown; shadowSince: Date | null };

/** The gates of one version now. A value that can't be read is "no data". */
export async function readGates(deps: GateDeps, version: Gated): Promise<Gate[]> {
  const backlog = await measureBacklog(deps.pool).catch(() => null);
  return gatesOf(deps.redis, version, backlog?.oldestDeliverableSeconds ?? null);
}

/** The same with a known lag of the relay. */
export async function gatesOf(
  redis: RedisClient,
  version: Gated,
  outboxLagSeconds: number | null,
): Promise<Gate[]> {
  const shadow = version.shadowSince ? await readShadow(redis, version.shadowSince).catch(() => null) : null;
  return evaluateGates({
    errorRate: version.errorRate,
    report: version.report as VerificationReport | null,
    shadow,
    outboxLagSeconds,
    nowMs: Date.now(),
  });
}

const OUTCOMES = ["same", "differs", "missed", "activeMissed", "unknown"] as const;

async function readShadow(redis: RedisClient, since: Date): Promise<ShadowCounts> {
  const ids = OUTCOMES.map(outcome => idOf("bloom_shadow_total", outcome));
  const totals = await readTotals(redis, ids, { fromMs: since.getTime(), toMs: Date.now() });
  return Object.fromEntries(OUTCOMES.map((outcome, n) => [outcome, totals[ids[n]!]!])) as ShadowCounts;
}
