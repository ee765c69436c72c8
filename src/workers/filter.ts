import { constants, setPriority } from "node:os";
import { createLogger } from "../runtime/logger";
import { readEnv } from "../runtime/read-env";
import { onShutdown } from "../runtime/shutdown";
import { filterEnv } from "./filter-env";
import { runFilter } from "./run-filter";

/** The main of a filter worker. */
// A rebuild takes every core it can get: people who wait for an answer come first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const env = readEnv(filterEnv, process.env);
const log = createLogger("filter", env.LOG_LEVEL);
const running = runFilter(env, log);
onShutdown(() => running.stop(), { timeoutMs: 9_000, logger: log });
