import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import pg from "pg";
import { afterAll, afterEach, expect, onTestFailed, test, vi } from "vitest";
import { commandOf, isRunning, terminate } from "../process-info";
import { type Embedded, type StartEmbeddedOptions, startEmbedded } from "./start-embedded";

// A first start creates a cluster, also on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const dataDir = mkdtempSync(join(tmpdir(), "floodgate-embedded-"));
const lines: string[] = [];
let embedded: Embedded | undefined;

afterEach(async () => {
  await embedded?.stop();
  embedded = undefined;
  lines.length = 0;
});
afterAll(() => rmSync(dataDir, { recursive: true }));

const start = async (options: Partial<StartEmbeddedOptions> = {}) => {
  const log = (line: string) => lines.push(line);
  embedded = await startEmbedded({ dataDir, needPostgres: true, needRedis: true, log, ...options });
  return embedded;
};

async function query(sql: string, { databaseUrl } = embedded!): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function redis<T>(use: (client: Redis) => Promise<T>, { redisUrl } = embedded!): Promise<T> {
  const client = new Redis(redisUrl!);
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

const postgresPid = () =>
  Number(readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n")[0]);
const redisPid = () => Number(readFileSync(join(dataDir, "redis/redis.pid"), "utf8"));

test("settings, secrets and data are kept over a restart and readable by their owner only", async () => {
  await start();
  const [settings] =
    await query(`SELECT current_setting('wal_level') AS wal, current_setting('max_slot_wal_keep_size') AS kept, current_setting('fsync') AS fsync,
    current_setting('server_encoding') AS encoding, current_setting('max_connections') AS connections,
    current_setting('unix_socket_directories') AS sockets, current_setting('listen_addresses') AS address,
    (SELECT datcollate FROM pg_database WHERE datname = current_database()) AS collation, current_database() AS name`);
  expect(settings).toEqual({
    wal: "logical",
    kept: "1GB",
    fsync: "on",
    encoding: "UTF8",
    connections: "60",
    sockets: "",
    address: "127.0.0.1",
    collation: "C",
    name: "floodgate",
  });
  await query("CREATE TABLE kept AS SELECT 'Ünï' AS name");
  await redis(client => client.set("kept", "yes"));
  expect(await redis(client => client.config("GET", "maxmemory-policy"))).toEqual([
    "maxmemory-policy",
    "noeviction",
  ]);
  const secrets = readFileSync(join(dataDir, "secrets.json"), "utf8");
  for (const file of ["secrets.json", "redis/redis.conf"]) {
    expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
  }
  const servers = [postgresPid(), redisPid()];
  for (const password of Object.values(JSON.parse(secrets) as Record<string, string>)) {
    for (const shown of [...lines, ...servers.map(commandOf)]) expect(shown).not.toContain(password);
  }

  await embedded!.stop();
  expect(servers.filter(isRunning)).toEqual([]);
  await start();
  expect(await query("SELECT name FROM kept")).toEqual([{ name: "Ünï" }]);
  expect(await redis(client => client.get("kept"))).toBe("yes");
  expect(readFileSync(join(dataDir, "secrets.json"), "utf8")).toBe(secrets);
});

test("a wrong password is refused by both servers", async () => {
  const { databaseUrl, redisUrl } = await start();
  await expect(
    query("SELECT 1", { ...embedded!, databaseUrl: databaseUrl!.replace(/:\w{64}@/, ":wrong@") }),
  ).rejects.toThrow(/password authentication failed/);
  const anonymous = new Redis(redisUrl!.replace(/:\w{64}@/, ""), {
    lazyConnect: true,
    enableReadyCheck: false,
  });
  anonymous.on("error", () => {});
  await expect(anonymous.ping()).rejects.toThrow(/NOAUTH/);
  anonymous.disconnect();
});

test("servers of a killed parent are stopped by the next start, which has their data", async () => {
  const parent = await startInParent();
  await query("CREATE TABLE left_behind AS SELECT 1 AS one", parent.urls);
  await redis(client => client.set("left-behind", "yes"), parent.urls);
  const left = [postgresPid(), redisPid()];
  parent.process.kill("SIGKILL");
  await new Promise(resolve => parent.process.once("exit", resolve));
  expect(left.map(isRunning)).toEqual([true, true]);

  await start();
  expect(left.filter(isRunning)).toEqual([]);
  expect(lines.filter(line => line.includes("left behind"))).toHaveLength(2);
  expect(await query("SELECT one FROM left_behind")).toEqual([{ one: 1 }]);
  expect(await redis(client => client.get("left-behind"))).toBe("yes");
});

test("a pid file that names another process does not stop the start, nor does the start end that process", async () => {
  const otherProcess = spawn("sleep", ["60"], postgresOwner());
  await new Promise(resolve => otherProcess.once("spawn", resolve));
  writeFileSync(
    join(dataDir, "postgres/postmaster.pid"),
    `${otherProcess.pid}\n${join(dataDir, "postgres")}\n1\n2\n\n127.0.0.1\n0 0\n`,
  );
  writeFileSync(join(dataDir, "redis/redis.pid"), `${otherProcess.pid}\n`);
  await start();
  expect(isRunning(otherProcess.pid!)).toBe(true);
  await terminate(otherProcess.pid!, []);
});

test("a killed server restarts at the same address", async () => {
  await start();
  const before = [postgresPid(), redisPid()];
  for (const pid of before) process.kill(pid, "SIGKILL");
  await vi.waitFor(() => query("SELECT 1"), { timeout: 20_000, interval: 100 });
  await vi.waitFor(() => redis(client => client.ping()), { timeout: 20_000, interval: 100 });
  expect([postgresPid(), redisPid()]).not.toEqual(before);
});

test("an aborted start leaves no server running", async () => {
  const aborter = new AbortController();
  const starting = start({ signal: aborter.signal });
  aborter.abort();
  await expect(starting).rejects.toThrow(/abort/i);
  expect(() => postgresPid()).toThrow(/ENOENT/);
});

test("a server that can't start fails with the end of its log", async () => {
  const file = join(dataDir, "postgres/PG_VERSION");
  const version = readFileSync(file, "utf8");
  writeFileSync(file, "9.6\n");
  await expect(start()).rejects.toThrow(
    /Postgres did not start \(exit code 1\)[\s\S]*initialized by PostgreSQL version 9\.6/,
  );
  writeFileSync(file, version);
});

test.each([
  ["written by a newer version", 0, "REDIS0099"],
  ["with flipped bytes", 200, "\xff\xfe\xfd\xfc\x01\xff\xfe\xfd"],
])(
  "a Redis whose files are %s: Postgres runs, the files stay, and Redis comes back",
  async (_, at, bytes) => {
    await start();
    await redis(async client => {
      for (let i = 0; i < 20; i += 1) await client.set(`key-${i}`, `${i}`.repeat(200));
      await client.bgrewriteaof();
      await vi.waitFor(
        async () => expect(await client.info("persistence")).toMatch(/aof_rewrite_in_progress:0/),
        { timeout: 20_000, interval: 50 },
      );
    });
    await embedded!.stop();
    const files = join(dataDir, "redis/appendonlydir");
    const manifest = readFileSync(join(files, "appendonly.aof.manifest"), "utf8");
    // A file of an earlier rewrite may still wait for its deletion.
    const base = join(files, /^file (\S+) seq \d+ type b$/m.exec(manifest)![1]!);
    const good = readFileSync(base);
    // A second try begins with sound files.
    onTestFailed(() => writeFileSync(base, good));
    const bad = Buffer.from(good);
    bad.write(bytes, at, "latin1");
    writeFileSync(base, bad);
    const listing = readdirSync(files).sort();

    const onRedisChange = vi.fn();
    await start({ onRedisChange });
    expect(await query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    expect(onRedisChange).toHaveBeenLastCalledWith(
      "its data files are damaged, or a newer version wrote them",
    );
    await vi.waitFor(
      () =>
        expect(readFileSync(join(dataDir, "logs/redis.log"), "utf8").split("starting")).not.toHaveLength(2),
      20_000,
    );
    expect(lines.filter(line => line.includes("Redis is down"))).toHaveLength(1);
    expect(lines.join("\n")).toContain("Nothing was deleted");
    expect([readdirSync(files).sort(), readFileSync(base).equals(bad)]).toEqual([listing, true]);

    writeFileSync(base, good);
    await vi.waitFor(() => expect(onRedisChange).toHaveBeenLastCalledWith(null), 50_000);
    expect(await redis(client => client.get("key-7"))).toBe("7".repeat(200));
  },
);

function postgresOwner(): { uid: number; gid: number } {
  const { uid, gid } = statSync(join(dataDir, "postgres"));
  return { uid, gid };
}

/** Starts the servers from another process, which the test kills. */
async function startInParent(): Promise<{ process: ChildProcess; urls: Embedded }> {
  const module = join(import.meta.dirname, "start-embedded.ts");
  const code = `
    const { startEmbedded } = await import(${JSON.stringify(module)});
    const options = { dataDir: ${JSON.stringify(dataDir)}, needPostgres: true, needRedis: true, log: () => {} };
    console.log(JSON.stringify(await startEmbedded(options)));`;
  const args = ["--import", "tsx", "--input-type=module", "-e", code];
  const parent = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise<string>(resolve =>
    parent.stdout.once("data", chunk => resolve(String(chunk))),
  );
  return { process: parent, urls: JSON.parse(line) };
}
