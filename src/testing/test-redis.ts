import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { inject } from "vitest";
import { freePort } from "../runtime/ports";
import { UNGUARDED } from "../store/owner-guard";
import { createRedis, type RedisClient, redisIsReady } from "../store/redis";
import { waitFor } from "./wait-for";

/** A connected client of the product. */
export async function connect(url: string, commandTimeoutMs = 10_000): Promise<RedisClient> {
  const redis = createRedis({ url, connectionName: "test", commandTimeoutMs, guard: UNGUARDED }, () => {});
  if (!(await redisIsReady(redis, 20_000))) throw new Error(`There is no Redis at ${url}.`);
  return redis;
}

/** A Redis server of the test file's own, to be stopped, killed, paused and started again. */
export class TestRedis {
  private constructor(
    readonly port: number,
    private readonly dir: string,
    private readonly extraArgs: string[],
  ) {}

  private child: ChildProcess | null = null;

  static async start(extraArgs: string[] = []): Promise<TestRedis> {
    const server = new TestRedis(
      await freePort(),
      await mkdtemp(join(tmpdir(), "floodgate-redis-")),
      extraArgs,
    );
    await server.run();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the server again after `kill`; with `--appendonly yes` its data is back. */
  async run(): Promise<void> {
    const args = [
      "--port",
      `${this.port}`,
      "--bind",
      "127.0.0.1",
      "--dir",
      this.dir,
      "--save",
      "",
      ...this.extraArgs,
    ];
    this.child = spawn(inject("redisCommand"), args, { stdio: "ignore" });
    await waitFor("Redis to answer", async () => (await this.ask("PING").catch(() => null)) === "PONG");
  }

  /** One command on a connection of its own. */
  async ask(command: string, ...args: (string | Buffer)[]): Promise<unknown> {
    const client = new Redis({ port: this.port, lazyConnect: true, retryStrategy: () => null });
    client.on("error", () => {});
    try {
      await client.connect();
      return await client.call(command, ...args);
    } finally {
      client.disconnect();
    }
  }

  pause(): void {
    this.child?.kill("SIGSTOP");
  }

  resume(): void {
    this.child?.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.dir, { recursive: true, force: true });
  }
}
