import { type Logger, pino } from "pino";

export type { Logger };

/** Field names whose values never reach a log line, at the top level or one level down. */
const SECRET_FIELDS = ["password", "token", "secret", "authorization", "cookie", "databaseUrl", "redisUrl"];

/** JSON lines on stdout: `{"level":"info","time":"2026-01-02T…Z","name":…,"msg":…}`; errors go under `err`. */
export function createLogger(name: string, level = "info"): Logger {
  return pino({
    name,
    level,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: label => ({ level: label }) },
    redact: { paths: SECRET_FIELDS.flatMap(field => [field, `*.${field}`]), censor: "[hidden]" },
  });
}
