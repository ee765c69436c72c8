import { createLogger } from "../runtime/logger";
import { readEnv } from "../runtime/read-env";
import { onShutdown } from "../runtime/shutdown";
import { relayEnv } from "./relay-env";
import { runRelay } from "./run-relay";

/** The main of a relay process. */
const env = readEnv(relayEnv, process.env);
const log = createLogger("relay", env.LOG_LEVEL);
const running = runRelay(env, log);
onShutdown(() => running.stop(), { timeoutMs: 9_000, logger: log });
