import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Starts the product like `npm start`, with a data folder of its own. The quotas are high, because
 * all browsers of a run share one address.
 */
export default async function startServer(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.E2E_BASE_URL) return undefined;
  const dataDir = mkdtempSync(join(tmpdir(), "floodgate-e2e-"));
  const supervisor = spawn(process.execPath, ["--import", "tsx", "src/workers/supervisor.ts"], {
    cwd: join(import.meta.dirname, ".."),
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      FLOODGATE_DATA_DIR: dataDir,
      PORT: String(E2E_PORT),
      CHECKS_PER_MINUTE: "100000",
      SIGNUPS_PER_TEN_MINUTES: "100000",
      SIGNINS_PER_TEN_MINUTES: "100000",
      SIGNINS_PER_ACCOUNT: "100000",
      // Small shards, which a test can fill on any machine.
      ORDER_LIMITS: "150/40000",
      ORDERS_PER_SECOND: "100000",
      ENGINE_CREDIT_ACCOUNTS: "market-maker",
    },
  });
  const exited = once(supervisor, "exit");
  let output = "";
  await new Promise<void>((resolve, reject) => {
    supervisor.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const password = /first administrator[\s\S]*?password {2}(\S+)\n/.exec(output)?.[1];
      if (!password) return;
      process.env.E2E_ADMIN_PASSWORD = password;
      resolve();
    });
    void exited.then(() => reject(new Error(`the server ended before it was up:\n${output}`)));
  });
  await sleep(SETTLE_MS);
  process.env.E2E_START_OUTPUT = output;
  process.env.E2E_START_LOGS = readLogs(join(dataDir, "logs"));
  process.env.E2E_DATABASE_URL = readFileSync(join(dataDir, "database-url"), "utf8").trim();
  const redis = readFileSync(join(dataDir, "redis/redis.conf"), "utf8");
  const setting = (name: string) => new RegExp(`^${name} (\\S+)$`, "m").exec(redis)?.[1] ?? "";
  process.env.E2E_REDIS_URL = `redis://:${setting("requirepass")}@127.0.0.1:${setting("port")}`;
  process.env.E2E_REDIS_PID = readFileSync(join(dataDir, "redis/redis.pid"), "utf8").trim();
  return async () => {
    supervisor.kill("SIGTERM");
    await exited;
    rmSync(dataDir, { recursive: true, force: true });
  };
}

/** The warnings and errors in the log files, a line each. */
function readLogs(folder: string): string {
  const lines = readdirSync(folder).flatMap(file => readFileSync(join(folder, file), "utf8").split("\n"));
  return lines.filter(line => /"level":"(warn|error|fatal)"/.test(line)).join("\n");
}

/** Problems of the start appear within this time. */
const SETTLE_MS = 3_000;

/** Differs from the ports of another Floodgate on the same machine. */
export const E2E_PORT = Number(process.env.E2E_PORT ?? 3900);
