import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { onFreePort } from "../ports";
import { commandOf, isRunning, terminate } from "../process-info";
import type { DataFolder } from "./data-folder";
import { initCluster, postgresEnv, SUPERUSER } from "./init-cluster";
import { postgresPackage } from "./postgres-binaries";
import { postgresUser, reachableCluster, reachablePrograms } from "./postgres-home";
import { startServer } from "./start-server";

export type EmbeddedServer = { url: string; stop(): Promise<void> };

export type EmbeddedOptions = {
  folder: DataFolder;
  password: string;
  log: (line: string) => void;
  signal?: AbortSignal;
};

const DATABASE = "floodgate";
/** SIGINT is Postgres's fast shutdown; SIGQUIT needs recovery at the next start. */
const STOP_STEPS = [
  { signal: "SIGINT" as const, waitMs: 15_000 },
  { signal: "SIGQUIT" as const, waitMs: 3_000 },
];
/**
 * Debezium needs `wal_level`, and its slot must not fill the disk when nothing reads it; an empty socket folder means
 * TCP on loopback only.
 */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "60",
  shared_buffers: "128MB",
  wal_level: "logical",
  max_slot_wal_keep_size: "1GB",
  fsync: "on",
  timezone: "UTC",
  log_timezone: "UTC",
};

/** Runs the Postgres of the npm package on a free loopback port, with its data kept in the data folder. */
export async function startPostgres(
  options: EmbeddedOptions & { onFailure: (reason: string) => void },
): Promise<EmbeddedServer> {
  const { folder, password, log, onFailure, signal } = options;
  const user = postgresUser(folder.postgres);
  const { version, nativeDir } = postgresPackage();
  const programs = join(reachablePrograms(nativeDir, user, version), "bin");
  const cluster = reachableCluster(folder.postgres, user, password);
  if (cluster !== folder.postgres) log(`Postgres can't enter ${folder.root}; its data is in ${cluster}`);

  await stopLeftover(cluster, log);
  if (!existsSync(join(cluster, "PG_VERSION"))) {
    await initCluster({ programs, cluster, password, user });
  }
  signal?.throwIfAborted();

  return await onFreePort(async port => {
    const address = `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}`;
    const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => [
      "-c",
      `${name}=${value}`,
    ]);
    const server = await startServer({
      name: "Postgres",
      command: join(programs, "postgres"),
      args: ["-D", cluster, ...settings],
      env: postgresEnv(),
      user,
      logFile: folder.freshLog("postgres"),
      stopSteps: STOP_STEPS,
      isReady: () => makeDatabase(address, folder.secrets),
      log,
      onFailure,
      signal,
    });
    return { url: `${address}/${DATABASE}`, stop: server.stop };
  });
}

/** A killed supervisor leaves its Postgres running on the same files: it is stopped before a new one starts. */
async function stopLeftover(cluster: string, log: (line: string) => void): Promise<void> {
  const pidFile = join(cluster, "postmaster.pid");
  if (!existsSync(pidFile)) return;
  const [firstLine = "", ...rest] = readFileSync(pidFile, "utf8").split("\n");
  const pid = Number(firstLine);
  if (!Number.isInteger(pid) || pid <= 0 || !isRunning(pid)) return;
  if (commandOf(pid)?.includes(cluster)) {
    log(`Stopping the Postgres that a killed run left behind (pid ${pid})`);
    return await terminate(pid, STOP_STEPS);
  }
  // The pid belongs to another process. Postgres ignores a lock of its parent; with the rest of the file
  // it still checks that no orphaned backend uses the shared memory.
  writeFileSync(pidFile, [process.pid, ...rest].join("\n"));
}

/** True when the server takes connections and has the database. */
async function makeDatabase(address: string, secretsFile: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: `${address}/postgres`, connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
    return true;
  } catch (error) {
    // 28P01: invalid_password. A retry can't help: the cluster was created with another secrets file.
    if ((error as { code?: string }).code !== "28P01") return false;
    throw new Error(
      `The password in ${secretsFile} is not the one of the database. Restore the file that the database was created with.`,
    );
  } finally {
    await client.end().catch(() => {});
  }
}
