import { createLogger } from "../runtime/logger";
import { readEnv } from "../runtime/read-env";
import { onShutdown } from "../runtime/shutdown";
import { labEnv } from "./order-env";
import { runLab } from "./run-lab";

/** The main of the scenario lab's process. */
const env = readEnv(labEnv, process.env);
const log = createLogger("lab", env.LOG_LEVEL);
const running = runLab(env, log);
onShutdown(() => running.stop(), { timeoutMs: 9_000, logger: log });
