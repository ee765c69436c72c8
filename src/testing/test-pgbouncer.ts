import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { aptInstall } from "../runtime/embedded/apt-install";
import { isOnPath } from "../runtime/embedded/find-redis";
import { freePort } from "../runtime/ports";
import { waitFor } from "./wait-for";

const isRoot = process.getuid?.() === 0;
const programOf = () => ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find(existsSync);

/** Installs it by apt-get where that is possible; false: there is none. */
export async function ensurePgbouncer(): Promise<boolean> {
  if (!programOf() && isRoot && isOnPath("apt-get")) await aptInstall("pgbouncer");
  return programOf() !== undefined;
}

/** A PgBouncer in transaction mode, with its own defaults, before a database of the tests. */
export class TestPgbouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly dir: string,
    readonly url: string,
  ) {}

  static async start(databaseUrl: string): Promise<TestPgbouncer> {
    const dir = await mkdtemp(join(tmpdir(), "floodgate-pgbouncer-"));
    await chmod(dir, 0o755);
    const { hostname, port, username, password, pathname } = new URL(databaseUrl);
    const listenPort = await freePort();
    const config = join(dir, "pgbouncer.ini");
    const settings = [
      "[databases]",
      `* = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`,
      "[pgbouncer]",
      "pool_mode = transaction",
      "listen_addr = 127.0.0.1",
      `listen_port = ${listenPort}`,
      "unix_socket_dir =",
      "auth_type = any",
      // Few sessions: clients share them all the time.
      "default_pool_size = 4",
    ];
    await writeFile(config, settings.join("\n"));
    const args = isRoot ? ["-u", "nobody", config] : [config];
    const child = spawn(programOf()!, args, { stdio: "ignore" });
    const url = `postgresql://${username}:${password}@127.0.0.1:${listenPort}${pathname}`;
    await waitFor("PgBouncer to answer", () => answers(url));
    return new TestPgbouncer(child, dir, url);
  }

  async stop(): Promise<void> {
    this.child.kill("SIGKILL");
    await rm(this.dir, { recursive: true, force: true });
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  return client
    .connect()
    .then(() => client.query("SELECT 1"))
    .then(
      () => true,
      () => false,
    )
    .finally(() => client.end().catch(() => {}));
}
