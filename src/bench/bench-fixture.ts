import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "../runtime/embedded/start-embedded";
import { onShutdown } from "../runtime/shutdown";
import { migrate } from "../store/migrate";
import { createPool, type Pool } from "../store/postgres";

export const ROOT = join(import.meta.dirname, "../..");

/** Real services in a temporary folder, and processes that end with the benchmark. */
export type BenchFixture = {
  databaseUrl: string;
  redisUrl: string;
  pool: Pool;
  /** Starts `node …args` and resolves when `url` answers. */
  run(args: string[], env: Record<string, string>, url?: string): Promise<ChildProcess>;
  close(): Promise<void>;
};

export async function openBenchFixture(): Promise<BenchFixture> {
  const dataDir = await mkdtemp(join(tmpdir(), "floodgate-bench-"));
  const embedded = await startEmbedded({ dataDir, needPostgres: true, needRedis: true, log: () => {} });
  const pool = createPool(
    {
      url: embedded.databaseUrl!,
      applicationName: "bench",
      maxConnections: 4,
      connectTimeoutMs: 10_000,
      statementTimeoutMs: 600_000,
    },
    () => {},
  );
  await migrate(pool, join(ROOT, "prisma/migrations"));
  const children: ChildProcess[] = [];
  const close = async () => {
    await Promise.all(children.map(stop));
    await pool.end();
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  onShutdown(close, {
    timeoutMs: 30_000,
    logger: { info: () => {}, error: (details, text) => console.error(text, details) },
  });
  return {
    databaseUrl: embedded.databaseUrl!,
    redisUrl: embedded.redisUrl!,
    pool,
    async run(args, env, url) {
      const child = spawn(process.execPath, args, {
        cwd: ROOT,
        env: { PATH: process.env.PATH, NODE_ENV: "production", LOG_LEVEL: "error", ...env },
        stdio: ["ignore", "inherit", "inherit"],
      });
      children.push(child);
      if (url) await answers(url, child);
      return child;
    },
    close,
  };
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await gone;
  clearTimeout(timer);
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (child.exitCode !== null) throw new Error(`the process for ${url} ended with ${child.exitCode}`);
    const ok = await fetch(url).then(
      response => response.ok,
      () => false,
    );
    if (ok) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error(`${url} did not answer within 30 s`);
}

/** Users as an import writes them: their keys are user0, user1, … */
export async function insertUsers(pool: Pool, count: number): Promise<void> {
  await pool.query(
    `INSERT INTO users (username, username_key, username_skeleton, policy_version, email, name)
     SELECT n, n, n, 1, n || '@example.com', n FROM (SELECT 'user' || i AS n FROM generate_series(0, $1::int - 1) i) names`,
    [count],
  );
  await pool.query("ANALYZE users");
}
