import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";

export type { Logger };

/** Field names whose values never reach a log line, at the top level or one level down. */
const SECRET_FIELDS = ["password", "token", "secret", "authorization", "cookie", "databaseUrl", "redisUrl"];

/** JSON lines on stdout: `{"level":"info","time":"2026-01-02T…Z","name":…,"msg":…}`; errors go under `err`. */
export function createLogger(name: string, level = "info"): Logger {
  const options: LoggerOptions = {
    name,
    level,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: label => ({ level: label }) },
    redact: { paths: SECRET_FIELDS.flatMap(field => [field, `*.${field}`]), censor: "[hidden]" },
  };
  return pino(options, stdout());
}

/**
 * Goes silent after the first failed write. When the terminal is gone every write fails, and pino
 * would repeat its last one forever while the process exits.
 */
function stdout(): DestinationStream {
  const destination = pino.destination({ dest: 1, sync: true });
  const silent = () => {};
  destination.on("error", () => {
    Object.assign(destination, {
      write: silent,
      flush: silent,
      flushSync: silent,
      end: silent,
      destroy: silent,
    });
  });
  return destination;
}
