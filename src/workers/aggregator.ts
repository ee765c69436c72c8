import { createLogger } from "../runtime/logger";
import { readEnv } from "../runtime/read-env";
import { onShutdown } from "../runtime/shutdown";
import { aggregatorEnv } from "./order-env";
import { runAggregator } from "./run-aggregator";

/** The main of an aggregator process. */
const env = readEnv(aggregatorEnv, process.env);
const log = createLogger("aggregator", env.LOG_LEVEL);
const running = runAggregator(env, log, err => {
  log.error({ err }, err.message);
  shutDown("the order log can't be used", 1);
});
const shutDown = onShutdown(() => running.stop(), { timeoutMs: 9_000, logger: log });
