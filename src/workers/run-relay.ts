import { REMOVAL_STATES } from "../domain/filter/filter-version";
import { deliverKeys } from "../filter/deliver";
import { createEngines, type Engines } from "../filter/detect-engine";
import { isFull, isMissing } from "../filter/engine";
import { masterIdentities } from "../filter/master-identities";
import { liveVersions, versionsToFeed } from "../filter/versions";
import { measureBacklog, purgeProcessed } from "../outbox/backlog";
import { releaseClaims } from "../outbox/claim";
import { Reconciler } from "../outbox/reconcile";
import { type Deliver, relayOnce } from "../outbox/relay";
import { ProcessParts, type RunningProcess } from "../process/process-parts";
import type { RelayEnv } from "../process/relay-env";
import { watchReplicationSlots } from "../process/replication-slot-watch";
import type { Logger } from "../runtime/logger";
import type { RunningLoop } from "../runtime/run-loop";
import { sweepExpired } from "../services/access/sweep-expired";
import { OUTBOX_CHANNEL, RELAY_CONNECTION, startListener } from "../store/listener";
import { createRelayMetrics, type RelayMetrics } from "../telemetry/gate-metrics";
import { readRelayHealth } from "./relay-health";

/** Two batches in flight: one waits for Postgres while the other is added to Redis. */
export const DELIVERY_LOOPS = [1, 2];
const SPARE_POLL_MS = 10_000;
const RECONCILE_EVERY_MS = 1_000;
const HOUSEKEEPING_EVERY_MS = 1_000;
/** Expired rows are refused anyway. */
const SWEEP_EVERY_MS = 10_000;
const MAX_BACKOFF_MS = 5_000;

/**
 * One copy of the relay, of which N may run: brings outbox events into every live version of the
 * filter. Deliveries are shared by claims.
 */
export function runRelay(env: RelayEnv, log: Logger): RunningProcess {
  const parts = new ProcessParts({
    name: "relay",
    env,
    log,
    // A mark lost in a crash of Postgres only means that an event is delivered twice.
    database: { maxConnections: 6, statementTimeoutMs: 30_000, relaxedCommit: true },
    redisTimeoutMs: env.RELAY_TIMEOUT_MS,
  });
  const { metrics, registry } = parts.telemetry(createRelayMetrics);
  const slots = watchReplicationSlots(parts, { maxMb: env.WAL_HELD_MAX_MB, registry });
  parts.serveMetrics(registry, () => readRelayHealth({ redis: parts.redis, metrics, slots }));
  const worker: RelayWorker = { env, parts, metrics, engines: createEngines(parts.redis) };
  const reconciler = createReconciler(worker);
  const deliver = deliverToVersions(worker, () => reconciler.request());
  parts.onStop(() =>
    Promise.all(DELIVERY_LOOPS.map(loop => releaseClaims(parts.pool, claimant(parts, loop)))).catch(
      parts.warn("claims not given back; they expire"),
    ),
  );
  const delivering = startDeliveries(worker, deliver);
  startReconciling(parts, reconciler);
  startHousekeeping(worker);
  const listener = startListener({
    url: env.DATABASE_URL,
    channel: OUTBOX_CHANNEL,
    name: `${RELAY_CONNECTION}${parts.owner}`,
    onNotification: () => {
      for (const loop of delivering) loop.wake();
    },
    onError: parts.warn("outbox listener connection lost; polling continues"),
    retryMs: 1_000,
  });
  parts.onStop(() => listener.stop());
  log.info({ relay: parts.owner }, "relay started");
  return parts.running();
}

type RelayWorker = { env: RelayEnv; parts: ProcessParts; metrics: RelayMetrics; engines: Engines };

const claimant = (parts: ProcessParts, loop: number) => `${parts.owner}:${loop}`;

/** Adds keys to every version that readers may ask. */
function deliverToVersions({ parts, engines }: RelayWorker, onFailover: () => void): Deliver {
  return async keys => {
    const versions = await versionsToFeed(parts.pool);
    if (versions.every(({ state }) => REMOVAL_STATES.includes(state)))
      return keys.map(() => ({ error: "there is no filter version yet" }));
    const outcomes = await deliverKeys(engines, versions, keys);
    // A node that turned read-only has failed over: what it had acknowledged may be gone.
    if (outcomes.some(outcome => outcome !== "added" && outcome.error.startsWith("READONLY"))) onFailover();
    return outcomes;
  };
}

/** Delivers recent events again after a failover. */
function createReconciler(worker: RelayWorker): Reconciler {
  const { env, parts, metrics } = worker;
  const deliver = deliverToVersions(worker, () => reconciler.request());
  const reconciler = new Reconciler({
    pool: parts.pool,
    // A missing shard is filled again from the database with every name, and a full one takes none back.
    deliver: async keys =>
      (await deliver(keys)).map(outcome =>
        outcome !== "added" && (isMissing(outcome.error) || isFull(outcome.error)) ? "added" : outcome,
      ),
    identities: () => masterIdentities(parts.redis),
    keptMs: env.OUTBOX_KEEP_HOURS * 3_600_000,
    recentMs: env.RECONCILE_WINDOW_MS,
    onReplayed: (count, reason) => {
      metrics.replayed.inc(count);
      parts.log.info({ count, reason }, "processed events delivered again");
    },
  });
  return reconciler;
}

function startDeliveries({ env, parts, metrics }: RelayWorker, deliver: Deliver): RunningLoop[] {
  const { pool } = parts;
  // Before the first version there is nothing to deliver to: it is built from the table itself.
  let hasVersion = false;
  const isReady = async () => {
    hasVersion ||= parts.isConnected && (await liveVersions(pool)).length > 0;
    return hasVersion && parts.isConnected;
  };
  return DELIVERY_LOOPS.map(loop =>
    parts.loop({
      name: `deliver ${loop}`,
      // A notification wakes both; one looks for retries that are due.
      everyMs: loop === 1 ? env.RELAY_POLL_MS : SPARE_POLL_MS,
      maxBackoffMs: MAX_BACKOFF_MS,
      step: async () => {
        if (!(await isReady())) return "idle";
        const batch = await relayOnce({
          pool,
          deliver,
          relay: claimant(parts, loop),
          batchSize: env.RELAY_BATCH,
          leaseMs: env.RELAY_LEASE_MS,
          maxDataErrors: 5,
          onBatch(result) {
            metrics.events.delivered.inc(result.delivered);
            metrics.events.failed.inc(result.failed);
            metrics.events.dead.inc(result.dead);
            if (result.dead > 0) parts.log.error(result, "events became dead letters");
          },
        });
        return batch.claimed === env.RELAY_BATCH ? "again" : "idle";
      },
      failure: "outbox delivery failed",
    }),
  );
}

function startReconciling(parts: ProcessParts, reconciler: Reconciler): void {
  parts.loop({
    name: "reconcile",
    everyMs: RECONCILE_EVERY_MS,
    maxBackoffMs: MAX_BACKOFF_MS,
    step: async signal => {
      if (parts.isConnected) await reconciler.reconcile(signal);
      return "idle";
    },
    failure: "reconcile failed",
  });
}

function startHousekeeping({ env, parts, metrics }: RelayWorker): void {
  const { pool } = parts;
  parts.loop({
    name: "housekeeping",
    everyMs: HOUSEKEEPING_EVERY_MS,
    maxBackoffMs: MAX_BACKOFF_MS,
    step: async () => {
      const backlog = await measureBacklog(pool);
      metrics.backlog.set(backlog.pending);
      metrics.lagSeconds.set(backlog.oldestSeconds);
      metrics.deadLetters.set(backlog.dead);
      await purgeProcessed(pool, env.OUTBOX_KEEP_HOURS * 3_600_000);
      return "idle";
    },
    failure: "housekeeping failed",
  });
  parts.loop({
    name: "sweep",
    everyMs: SWEEP_EVERY_MS,
    maxBackoffMs: SWEEP_EVERY_MS,
    step: async () => {
      await sweepExpired(pool);
      return "idle";
    },
    failure: "expired sessions not deleted",
  });
}
