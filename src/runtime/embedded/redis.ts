import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { onFreePort } from "../ports";
import { commandOf, isRunning, terminate } from "../process-info";
import { explainRedis } from "./explain-redis";
import type { EmbeddedOptions, EmbeddedServer } from "./postgres";
import { startServer } from "./start-server";

/** On SIGTERM Redis flushes its append-only file. */
const STOP_STEPS = [{ signal: "SIGTERM" as const, waitMs: 10_000 }];

type RedisOptions = EmbeddedOptions & {
  command: string;
  /** Called with the reason when it goes down, and with null when it answers again. */
  onChange: (reason: string | null) => void;
};

/**
 * Runs a Redis or Valkey server on a free loopback port, with its data kept in the data folder. A server
 * that does not start does not stop the others: it is tried again, at the same address.
 */
export async function startRedis(options: RedisOptions): Promise<EmbeddedServer> {
  const { folder, password, command, log, onChange, signal } = options;
  const dir = folder.redis;
  const configFile = join(dir, "redis.conf");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  await stopLeftover(dir, configFile, log);

  return await onFreePort(async port => {
    // In a private file, since a command line is visible to every user.
    writeFileSync(configFile, configuration(dir, port, password), { mode: 0o600 });
    const url = `redis://:${password}@127.0.0.1:${port}`;
    const server = await startServer({
      name: "Redis",
      command,
      args: [configFile],
      env: { ...process.env, LC_ALL: "C" },
      logFile: folder.freshLog("redis"),
      stopSteps: STOP_STEPS,
      isReady: () => answersPing(url),
      log,
      signal,
      forEver: { onChange, explain: (how, endOfLog) => explainRedis(how, { endOfLog, dir }) },
    });
    return { url, stop: server.stop };
  });
}

function configuration(dir: string, port: number, password: string): string {
  const quoted = (value: string) => `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
  const lines = [
    "bind 127.0.0.1",
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${quoted(dir)}`,
    `pidfile ${quoted(join(dir, "redis.pid"))}`,
    "daemonize no",
    "appendonly yes",
    "appendfsync everysec",
    'save ""',
    // A refused write is better than a filter or a stream that loses keys.
    "maxmemory-policy noeviction",
  ];
  return `${lines.join("\n")}\n`;
}

/** A killed supervisor leaves its Redis running; its configuration file or port identifies it. */
async function stopLeftover(dir: string, configFile: string, log: (line: string) => void): Promise<void> {
  const pidFile = join(dir, "redis.pid");
  if (!existsSync(pidFile) || !existsSync(configFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8"));
  if (!Number.isInteger(pid) || pid <= 0 || !isRunning(pid)) return;
  const port = /^port (\d+)$/m.exec(readFileSync(configFile, "utf8"))?.[1];
  const command = commandOf(pid) ?? "";
  const isOurs = command.includes(configFile) || (port !== undefined && command.endsWith(`:${port}`));
  if (!/(redis|valkey)-server/.test(command) || !isOurs) return;
  log(`Stopping the Redis that a killed run left behind (pid ${pid})`);
  await terminate(pid, STOP_STEPS);
}

/** False until the server has started and loaded its data. */
async function answersPing(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 5_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.ping()) === "PONG";
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}
