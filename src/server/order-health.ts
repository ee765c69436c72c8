import { AggregatorStatusStore } from "../aggregate/aggregator-status-store";
import type { Alert, AlertCode } from "../domain/alert";
import { PARTITIONS } from "../domain/orders/order-partition";
import { NO_LIMITS, RedisLog } from "../orders/redis-log";
import { valueInTime } from "../runtime/health";
import { type LeaseOwners, readLeaseOwners } from "../store/lease-owners";
import { shardMapKey, shardStreamKey } from "../store/order-keys";
import type { RedisClient } from "../store/redis";

type Known = number | "unknown";

/** The order side as `GET /healthz` shows it. What is not known says so: it is never shown as 0. */
export type OrderHealth = {
  /** `unknown`: Redis does not answer, or no aggregator has ever run on it. */
  status: "ok" | "degraded" | "unknown";
  /** Processes with a lease. */
  aggregators: Known;
  engines: Known;
  /** The largest lag of an aggregator, milliseconds. */
  lagMs: Known;
  /** Orders in the buffers of aggregators. */
  buffered: Known;
  /** Records in the log that are not removed yet: those that no aggregator has read, and the last seconds. */
  records: Known;
};

export type OrderFigures = {
  aggregators: LeaseOwners;
  engines: LeaseOwners;
  lines: { bufferedEvents: number; lagMs: number | null }[];
  /** Null where the log can't be counted. */
  records: number | null;
};

const LAG_ALARM_MS = 5_000;
const READ_MS = 2_000;
/** Figures of an earlier look are not what is so now. */
const FRESH_MS = 10_000;

const UNKNOWN: OrderHealth = {
  status: "unknown",
  aggregators: "unknown",
  engines: "unknown",
  lagMs: "unknown",
  buffered: "unknown",
  records: "unknown",
};

/** Looks at the order side from time to time, so that health costs nothing. */
export class OrderHealthWatch {
  private figures: OrderFigures | null = null;
  private readAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly read: () => Promise<OrderFigures>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Rejects when Redis does not answer; the order side is unknown then. */
  async look(): Promise<void> {
    this.figures = null;
    const figures = await valueInTime(this.read(), READ_MS);
    if (figures === null) throw new Error("Redis did not answer in time");
    this.figures = figures;
    this.readAtMs = this.now();
  }

  get current(): { health: OrderHealth; alerts: Alert[] } {
    const isFresh = this.figures !== null && this.now() - this.readAtMs <= FRESH_MS;
    return isFresh ? describeOrders(this.figures!) : { health: UNKNOWN, alerts: [] };
  }
}

export function describeOrders(figures: OrderFigures): { health: OrderHealth; alerts: Alert[] } {
  const { aggregators, engines, lines, records } = figures;
  const lags = lines.map(({ lagMs }) => lagMs);
  // A worker that does not say its lag may have the largest one.
  const isLagKnown = lines.length > 0 && lines.length >= aggregators.workers && !lags.includes(null);
  const lagMs: Known = isLagKnown ? Math.max(...(lags as number[])) : "unknown";
  const buffered: Known =
    lines.length > 0 ? lines.reduce((sum, line) => sum + line.bufferedEvents, 0) : "unknown";
  const counts = { lagMs, buffered, records: records ?? ("unknown" as const) };
  const wasUsed = aggregators.wasUsed || (records ?? 0) > 0;
  if (!wasUsed) {
    const status = "unknown" as const;
    return {
      health: { status, aggregators: status, engines: status, lagMs, buffered, records: counts.records },
      alerts: [],
    };
  }
  const alerts = findAlerts(figures, counts);
  return {
    health: {
      status: alerts.length > 0 ? "degraded" : "ok",
      aggregators: aggregators.workers,
      engines: engines.workers,
      lagMs,
      buffered,
      records: counts.records,
    },
    alerts,
  };
}

function findAlerts(
  { aggregators, engines }: OrderFigures,
  { lagMs, buffered, records }: Pick<OrderHealth, "lagMs" | "buffered" | "records">,
): Alert[] {
  const alerts: Alert[] = [];
  const add = (code: AlertCode, text: string, href: string) => alerts.push({ code, text, href });
  const without = (owners: LeaseOwners) => `${owners.unowned.length} of ${PARTITIONS} partitions`;
  if (aggregators.unowned.length > 0) {
    const waiting = records === "unknown" || records === 0 ? "" : ` The log has ${records} records.`;
    const text = `${without(aggregators)} have no aggregator: their orders wait in the log.${waiting}`;
    add("orders_without_aggregator", text, "/console/stream");
  }
  if (engines.unowned.length > 0) {
    add(
      "orders_without_engine",
      `${without(engines)} have no engine: their orders are not matched.`,
      "/console/engine",
    );
  }
  if (lagMs !== "unknown" && lagMs > LAG_ALARM_MS)
    add("orders_late", `Orders wait for ${Math.round(lagMs / 1_000)} s in an aggregator.`, "/console/stream");
  const isWaiting = (buffered !== "unknown" && buffered > 0) || (records !== "unknown" && records > 0);
  if (lagMs === "unknown" && isWaiting && aggregators.workers > 0)
    add("orders_lag_unknown", "Orders wait, and the lag of an aggregator is unknown.", "/console/stream");
  return alerts;
}

type ReadDeps = { redis: RedisClient; log: string; isLogInRedis: boolean };

/** @throws when Redis does not answer */
export async function readOrderFigures({ redis, log, isLogInRedis }: ReadDeps): Promise<OrderFigures> {
  const [aggregators, engines, lines, records] = await Promise.all([
    readLeaseOwners(redis, { log, kind: "aggregator" }),
    readLeaseOwners(redis, { log, kind: "engine" }),
    new AggregatorStatusStore(redis, log).read(),
    isLogInRedis ? countRecords(redis, log) : null,
  ]);
  return { aggregators, engines, lines, records };
}

async function countRecords(redis: RedisClient, log: string): Promise<number> {
  // Before the first aggregator has run there are no shards.
  if ((await redis.exists(shardMapKey(log))) === 0) return 0;
  const ids = await new RedisLog(redis, { log, limits: NO_LIMITS }).readableShards();
  const lengths = await Promise.all(ids.map(id => redis.xlen(shardStreamKey(log, id))));
  return lengths.reduce((sum, length) => sum + length, 0);
}
