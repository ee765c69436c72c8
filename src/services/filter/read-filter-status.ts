import { wilsonInterval } from "../../domain/filter/confidence-interval";
import type { Gate, VerificationReport } from "../../domain/filter/filter-gates";
import { STORED_STATES, type VersionState } from "../../domain/filter/filter-version";
import { detectEngine } from "../../filter/detect-engine";
import { type EngineName, SHARD_COUNT, shardLayout } from "../../filter/layout";
import { readPointer } from "../../filter/pointer";
import { listReaders, type Reader } from "../../filter/readers";
import { type Backlog, measureBacklog } from "../../outbox/backlog";
import type { PrismaClient } from "../../store/postgres";
import type { RedisClient } from "../../store/redis";
import { type Forecast, forecastFill } from "./forecast-fill";
import { readGateTotals } from "./read-gate-totals";
import { type GateDeps, gatesOf } from "./read-gates";

export type VersionStatus = {
  version: number;
  state: VersionState;
  engine: EngineName;
  capacity: number;
  shardCapacity: number;
  errorRate: number;
  /** Bytes of all its shards in Redis. */
  sizeBytes: number;
  requestedBy: string;
  reason: string | null;
  /** Why it ended, or was rolled back. */
  failure: string | null;
  /** The worker's last progress: phase, rows, throttle, … */
  progress: Record<string, unknown>;
  report: VerificationReport | null;
  /** Empty for a version that can't be promoted. */
  gates: Gate[];
  forecast: Forecast | null;
  verifyRequest: string | null;
  shadowPercent: number;
  canaryPercent: number;
  armedUntil: string | null;
  armedBy: string | null;
  approvedBy: string | null;
  bakeUntil: string | null;
  createdAt: string;
  stateAt: string;
  activatedAt: string | null;
  /** When readers switched to it; null before that. */
  switchedAt: string | null;
};

export type FilterStatus = {
  /** Pass it with a decision, which is refused when the revision has changed. */
  revision: number;
  /** Required approvals of a promotion. */
  approvals: number;
  /** The best engine of this Redis; null while it does not answer. */
  engine: EngineName | null;
  /** The pointer in Redis; null without an active version, or while Redis does not answer. */
  pointer: { version: number; revision: number } | null;
  readers: Reader[];
  /** Events that are not in the filter yet. */
  pendingEvents: number;
  schedule: { everyHours: number | null; setBy: string | null };
  versions: VersionStatus[];
};

const VERSIONS_SHOWN = 20;
const GATED: readonly string[] = ["ready", "active", "previous"];

/** State of the rollout and of its versions, newest first. */
export async function readFilterStatus(
  deps: GateDeps & { prisma: PrismaClient; approvals: number },
): Promise<FilterStatus> {
  const { prisma, redis, pool } = deps;
  const [rollout, rows, engine, pointer, readers, backlog] = await Promise.all([
    prisma.filterRollout.findUniqueOrThrow({ where: { id: 1 } }),
    listShown(prisma),
    detectEngine(redis).catch(() => null),
    readPointer(redis).catch(() => null),
    listReaders(redis).catch(() => []),
    measureBacklog(pool),
  ]);
  const versions = await Promise.all(rows.map(row => toStatus(redis, row, backlog)));
  const active = versions.find(version => version.state === "active");
  if (active?.forecast) active.forecast.suggestion ??= await suggestByFalsePositives(redis, active.errorRate);
  return {
    revision: Number(rollout.revision),
    approvals: deps.approvals,
    engine,
    pointer: pointer && { version: pointer.version, revision: pointer.revision },
    readers,
    pendingEvents: backlog.pending,
    schedule: { everyHours: rollout.rebuildEveryHours, setBy: rollout.scheduleSetBy },
    versions,
  };
}

/** All versions with keys in Redis, and the newest other versions; newest first. */
async function listShown(prisma: PrismaClient) {
  const isStored = { in: [...STORED_STATES] };
  const [stored, others] = await Promise.all([
    prisma.filterVersion.findMany({ where: { state: isStored } }),
    prisma.filterVersion.findMany({
      where: { NOT: { state: isStored } },
      orderBy: { version: "desc" },
      take: VERSIONS_SHOWN,
    }),
  ]);
  return [...stored, ...others].sort((a, b) => b.version - a.version);
}

const HOUR_MS = 60 * 60_000;

/** A false-positive rate above the configured rate means that the filter is too full. */
async function suggestByFalsePositives(redis: RedisClient, errorRate: number): Promise<string | null> {
  const toMs = Date.now();
  const totals = await readGateTotals(redis, { fromMs: toMs - HOUR_MS, toMs }).catch(() => null);
  if (!totals) return null;
  const { low } = wilsonInterval(totals.falsePositives, totals.falsePositives + totals.absent);
  if (low <= errorRate) return null;
  const percent = (ratio: number) => `${(ratio * 100).toPrecision(2)} %`;
  return `False-positive rate of the last hour: at least ${percent(low)}, configured: ${percent(errorRate)}. Rebuild with a larger capacity.`;
}

type Row = Awaited<ReturnType<PrismaClient["filterVersion"]["findMany"]>>[number];

async function toStatus(redis: RedisClient, row: Row, backlog: Backlog): Promise<VersionStatus> {
  const { version, shardCapacity, errorRate } = row;
  const progress = row.progress as Record<string, unknown>;
  return {
    version,
    shardCapacity,
    errorRate,
    requestedBy: row.requestedBy,
    reason: row.reason,
    failure: row.failure,
    verifyRequest: row.verifyRequest,
    shadowPercent: row.shadowPercent,
    canaryPercent: row.canaryPercent,
    armedBy: row.armedBy,
    approvedBy: row.approvedBy,
    progress: pickProgress(progress),
    state: row.state as VersionState,
    engine: row.engine as EngineName,
    capacity: Number(row.capacity ?? shardCapacity * SHARD_COUNT),
    sizeBytes: shardLayout({ shardCapacity, errorRate }).bytes * SHARD_COUNT,
    report: row.report as VerificationReport | null,
    gates: GATED.includes(row.state) ? await gatesOf(redis, row, backlog.oldestDeliverableSeconds) : [],
    forecast: forecastFill(progress, shardCapacity),
    armedUntil: iso(row.armedUntil),
    bakeUntil: iso(row.bakeUntil),
    createdAt: row.createdAt.toISOString(),
    stateAt: row.stateAt.toISOString(),
    activatedAt: iso(row.activatedAt),
    switchedAt: iso(row.switchedAt),
  };
}

/** Fields for viewers; the others, such as Redis' run ids, are for the worker alone. */
const SHOWN = [
  "phase",
  "rows",
  "estimatedRows",
  "bytes",
  "shardsLoaded",
  "namesInserted",
  "checked",
  "throttle",
  "attempts",
  "lastError",
  "at",
  "builtAt",
];

function pickProgress(progress: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(progress).filter(([key]) => SHOWN.includes(key)));
}

function iso(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}
