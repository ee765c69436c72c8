import { createLogger } from "../runtime/logger";
import { readEnv } from "../runtime/read-env";
import { onShutdown } from "../runtime/shutdown";
import { engineEnv } from "./order-env";
import { runEngine } from "./run-engine";

/** The main of an engine process. */
const env = readEnv(engineEnv, process.env);
const log = createLogger("engine", env.LOG_LEVEL);
const running = runEngine(env, log);
onShutdown(() => running.stop(), { timeoutMs: 9_000, logger: log });
