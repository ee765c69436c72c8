import type { EngineEnv } from "../process/order-env";
import { ProcessParts, type RunningProcess } from "../process/process-parts";
import type { Logger } from "../runtime/logger";
import { followStreams } from "../workers/follow-streams";
import { VolumeConsumer } from "./volumes";

/** Runs in place of the engine: N copies share the symbols, and each may be killed at any moment. */
export async function runVolumes(env: EngineEnv, log: Logger): Promise<RunningProcess> {
  const parts = new ProcessParts({
    name: "engine",
    env,
    log,
    database: { maxConnections: 2, statementTimeoutMs: 10_000 },
    redisTimeoutMs: 2_000,
  });
  await parts.pool.query(
    `CREATE TABLE IF NOT EXISTS volumes
       (symbol text PRIMARY KEY, epoch bigint NOT NULL, position bigint NOT NULL, orders bigint NOT NULL,
        units numeric NOT NULL)`,
  );
  followStreams(parts, {
    env,
    storedEpochs: () => VolumeConsumer.storedEpochs(parts.pool),
    open: (symbol, epoch) => VolumeConsumer.open(parts.pool, symbol, epoch),
  });
  return parts.running();
}
