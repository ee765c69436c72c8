import { createLogger, type Logger } from "../runtime/logger";

/** For servers and relays that run inside a test; `LOG_LEVEL=debug` shows their logs. */
export function quietLog(name: string): Logger {
  return createLogger(name, process.env.LOG_LEVEL ?? "silent");
}
