import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { FADING_STATES } from "../domain/filter/filter-version";
import { deliverKeys } from "../filter/deliver";
import { createEngines } from "../filter/detect-engine";
import { isFull, isGone } from "../filter/engine";
import { masterIdentities } from "../filter/master-identities";
import { fedVersions, liveVersions } from "../filter/versions";
import { measureBacklog, purgeProcessed } from "../outbox/backlog";
import { releaseClaims } from "../outbox/claim";
import { Reconciler } from "../outbox/reconcile";
import { type Deliver, relayOnce } from "../outbox/relay";
import type { Logger } from "../runtime/logger";
import { startMetricsServer } from "../runtime/metrics-server";
import { runLoop } from "../runtime/run-loop";
import { sweepExpired } from "../services/access/sweep-expired";
import { startListener } from "../store/listener";
import { createPool } from "../store/postgres";
import { createRedis } from "../store/redis";
import { createRelayMetrics } from "../telemetry/gate-metrics";
import { createTelemetry } from "../telemetry/telemetry";
import type { RelayEnv } from "./relay-env";
import { readRelayHealth } from "./relay-health";

/** Two batches in flight: one waits for Postgres while the other is added to Redis. */
export const DELIVERY_LOOPS = [1, 2];
const RECONCILE_EVERY_MS = 1_000;

/**
 * One copy of the relay, of which N may run: brings outbox events into every live version of the
 * filter. Deliveries are shared by claims.
 */
export function runRelay(env: RelayEnv, log: Logger): { stop(): Promise<void> } {
  const relay = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const warn = (what: string) => (err: unknown) => log.warn({ err }, what);

  const pool = createPool(
    {
      url: env.DATABASE_URL,
      applicationName: "floodgate relay",
      maxConnections: 6,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 30_000,
      // A mark lost in a crash of Postgres only means that an event is delivered twice.
      relaxedCommit: true,
    },
    warn("a database connection broke"),
  );
  const redis = createRedis(
    { url: env.REDIS_URL, connectionName: "floodgate-relay", commandTimeoutMs: env.RELAY_TIMEOUT_MS },
    warn("redis"),
  );
  // During an outage nothing is claimed; the client itself reports it and comes back.
  const isConnected = () => redis.status === "ready";
  const telemetry = createTelemetry(createRelayMetrics, {
    redis,
    kind: "relay",
    onOutage: warn("telemetry waits in memory for Redis"),
  });
  const { metrics, registry } = telemetry;
  const engines = createEngines(redis);

  const deliver: Deliver = async keys => {
    const versions = await fedVersions(pool);
    if (versions.every(({ state }) => FADING_STATES.includes(state)))
      return keys.map(() => ({ error: "there is no filter version yet" }));
    const outcomes = await deliverKeys(engines, versions, keys);
    // A node that turned read-only has failed over: what it had acknowledged may be gone.
    if (outcomes.some(outcome => outcome !== "added" && outcome.error.startsWith("READONLY")))
      reconciler.request();
    return outcomes;
  };

  // A shard that is gone comes back from the database with every name, and a full one takes none back.
  const redeliver: Deliver = async keys =>
    (await deliver(keys)).map(outcome =>
      outcome !== "added" && (isGone(outcome.error) || isFull(outcome.error)) ? "added" : outcome,
    );
  const reconciler = new Reconciler({
    pool,
    deliver: redeliver,
    identities: () => masterIdentities(redis),
    keptMs: env.OUTBOX_KEEP_HOURS * 3_600_000,
    recentMs: env.RECONCILE_WINDOW_MS,
    onReplayed: (count, reason) => {
      metrics.replayed.inc(count);
      log.info({ count, reason }, "processed events were delivered once more");
    },
  });
  // Before the first version there is nowhere to bring anything: it will be made from the table itself.
  let hasVersion = false;
  const isReady = async () => {
    hasVersion ||= isConnected() && (await liveVersions(pool)).length > 0;
    return hasVersion && isConnected();
  };

  const startDeliveryLoop = (loop: number) =>
    runLoop({
      name: `deliver ${loop}`,
      everyMs: env.RELAY_POLL_MS,
      maxBackoffMs: 5_000,
      step: async () => {
        if (!(await isReady())) return "idle";
        const batch = await relayOnce({
          pool,
          deliver,
          relay: `${relay}:${loop}`,
          batchSize: env.RELAY_BATCH,
          leaseMs: env.RELAY_LEASE_MS,
          maxDataErrors: 5,
          onBatch(result) {
            metrics.events.delivered.inc(result.delivered);
            metrics.events.failed.inc(result.failed);
            metrics.events.dead.inc(result.dead);
            if (result.dead > 0) log.error(result, "events were set aside: see outbox.last_error");
          },
        });
        return batch.claimed === env.RELAY_BATCH ? "again" : "idle";
      },
      onError: (err, retry) => log.warn({ err, ...retry }, "delivery failed"),
    });
  const delivering = DELIVERY_LOOPS.map(startDeliveryLoop);

  const reconciling = runLoop({
    name: "reconcile",
    everyMs: RECONCILE_EVERY_MS,
    maxBackoffMs: 5_000,
    step: async signal => {
      if (isConnected()) await reconciler.look(signal);
      return "idle";
    },
    onError: (err, retry) => log.warn({ err, ...retry }, "replaying failed"),
  });
  const housekeeping = runLoop({
    name: "housekeeping",
    everyMs: 1_000,
    maxBackoffMs: 5_000,
    step: async () => {
      const backlog = await measureBacklog(pool);
      metrics.backlog.set(backlog.pending);
      metrics.lagSeconds.set(backlog.oldestSeconds);
      metrics.deadLetters.set(backlog.dead);
      await purgeProcessed(pool, env.OUTBOX_KEEP_HOURS * 3_600_000);
      await sweepExpired(pool);
      return "idle";
    },
    onError: warn("housekeeping failed"),
  });
  const listener = startListener({
    url: env.DATABASE_URL,
    relay,
    onNotification: () => {
      for (const loop of delivering) loop.wake();
    },
    onError: warn("the notification connection broke; polling goes on"),
    retryMs: 1_000,
  });
  const health = () => readRelayHealth({ redis, metrics });
  const metricsServer = env.METRICS_PORT
    ? startMetricsServer(env.METRICS_PORT, { registry, health, log })
    : null;
  telemetry.start();
  log.info({ relay }, "relaying");

  return {
    async stop() {
      await listener.stop();
      await Promise.all([...delivering, reconciling, housekeeping].map(loop => loop.stop()));
      await Promise.all(DELIVERY_LOOPS.map(loop => releaseClaims(pool, `${relay}:${loop}`))).catch(
        warn("claims could not be given back; they expire"),
      );
      metricsServer?.close();
      await telemetry.stop();
      await pool.end();
      redis.disconnect();
    },
  };
}
