import type { z } from "zod";
import { createLogger, type Logger } from "../runtime/logger";
import { readEnv } from "../runtime/read-env";
import { SetupError } from "../runtime/setup-error";
import { onShutdown } from "../runtime/shutdown";
import { checkNames } from "./check-names";
import type { RunningProcess } from "./process-parts";
import { tellEndReason } from "./tell-end-reason";

/** Besides the time in which a server drains. */
const STOP_TIMEOUT_MS = 9_000;

type Start<Shape extends z.ZodRawShape> = (
  env: z.output<z.ZodObject<Shape>>,
  log: Logger,
) => RunningProcess | Promise<RunningProcess>;

/**
 * The main of a process: reads the environment, starts, and stops on a signal with exit code 0. A failed
 * start, or a part that dies, ends the process with exit code 1.
 */
export function runMain<Shape extends z.ZodRawShape & { LOG_LEVEL: z.ZodType<string> }>(
  name: string,
  schema: z.ZodObject<Shape>,
  start: Start<Shape>,
): void {
  const env = readEnvOrExit(schema);
  if (env === null) return;
  const { LOG_LEVEL, SHUTDOWN_DRAIN_MS = 0 } = env as { LOG_LEVEL: string; SHUTDOWN_DRAIN_MS?: number };
  const log = createLogger(name, LOG_LEVEL);
  const starting = Promise.resolve(start(env, log));
  const shutDown = onShutdown(async () => (await starting).stop(), {
    timeoutMs: STOP_TIMEOUT_MS + SHUTDOWN_DRAIN_MS,
    logger: log,
  });
  starting.then(
    running =>
      running.done.catch((err: unknown) => {
        log.fatal({ err }, "process part died");
        if (err instanceof SetupError) void tellEndReason(err.message);
        shutDown("a part of the process died", 1);
      }),
    (err: unknown) => {
      log.fatal({ err }, "process could not start");
      process.exit(1);
    },
  );
}

/** A list of what is wrong helps; a stack trace does not. Null: the process ends. */
function readEnvOrExit<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
): z.output<z.ZodObject<Shape>> | null {
  try {
    checkNames(process.env);
    return readEnv(schema, process.env);
  } catch (error) {
    console.error((error as Error).message);
    void tellEndReason((error as Error).message).then(() => process.exit(1));
    return null;
  }
}
