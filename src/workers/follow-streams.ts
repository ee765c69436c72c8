import { StreamRunner, type StreamRunnerDeps } from "../engine/stream-runner";
import { LeaseLost, type SymbolConsumer } from "../engine/symbol-consumer";
import { PlanBook } from "../orders/plan-book";
import { LeasedRunner } from "../process/leased-runner";
import type { EngineEnv } from "../process/order-env";
import type { ProcessParts } from "../process/process-parts";
import { readLeaseOwners } from "../store/lease-owners";
import { type Leases, PartitionLeases } from "../store/partition-leases";
import { StreamWaiter } from "./stream-waiter";

const SYMBOLS_EVERY_MS = 1_000;

type FollowStreams<Consumer extends SymbolConsumer> = {
  env: Pick<EngineEnv, "REDIS_URL" | "ORDER_LOG_NAME" | "ORDER_LEASE_MS" | "ORDER_POLL_MS">;
  /** The highest epochs with which results were stored: leases of an emptied Redis must be above them. */
  storedEpochs: () => Promise<Leases>;
} & Pick<StreamRunnerDeps<Consumer>, "open" | "on">;

/** Follows the ordered streams of all symbols, which the processes that call this share by leases. */
export function followStreams<Consumer extends SymbolConsumer>(
  parts: ProcessParts,
  { env, storedEpochs, open, on }: FollowStreams<Consumer>,
): LeasedRunner<StreamRunner<Consumer>> {
  const { redis } = parts;
  const log = env.ORDER_LOG_NAME;
  const ttlMs = env.ORDER_LEASE_MS;
  const plans = new PlanBook(parts.pool);
  const waiter = new StreamWaiter(env.REDIS_URL, parts);
  const symbols = () => plans.tradedSymbols.keys();
  /** No stream had anything new a moment ago. */
  let isQuiet = false;
  const runner = new LeasedRunner<StreamRunner<Consumer>>({
    parts,
    partitions: new PartitionLeases(redis, { log, kind: "engine", owner: parts.owner, ttlMs, storedEpochs }),
    owners: () => readLeaseOwners(redis, { log, kind: "engine" }),
    ttlMs,
    start: leases => new StreamRunner({ redis, log, leases, symbols, open, on }),
    isLeaseLost: error => error instanceof LeaseLost,
  });
  parts.loop({
    name: "match",
    everyMs: env.ORDER_POLL_MS,
    maxBackoffMs: 1_000,
    step: signal =>
      runner.step(async streams => {
        if (await streams.step({ isQuiet })) return "again";
        const found = await waiter.wait(streams.ends(), signal);
        isQuiet = found === "quiet";
        return found === "unable" ? "idle" : "again";
      }),
    failure: "matching failed; it continues from what was stored",
  });
  parts.loop({
    name: "symbols",
    everyMs: SYMBOLS_EVERY_MS,
    step: async () => {
      await plans.refresh();
      return "idle";
    },
    failure: "symbols not refreshed; the last ones stay",
  });
  return runner;
}
