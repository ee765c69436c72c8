import calculateSlot from "cluster-key-slot";
import { Cluster, Redis, type RedisOptions } from "ioredis";
import { addScripts, type ScriptedRedis } from "./lua-scripts";
import type { WriteGuard } from "./owner-guard";

/** A standalone server or a cluster; every command of ours carries one key (or keys of one hash tag). */
export type RedisClient = (Redis | Cluster) & ScriptedRedis & { readonly guard: WriteGuard };

export type RedisSettings = {
  /** One URL, or several comma-separated ones: nodes of a Redis Cluster. */
  url: string;
  connectionName: string;
  /** A command unanswered for so long rejects, milliseconds. */
  commandTimeoutMs: number;
  /** Stands before each write of a script; `write` is the script for single commands. */
  guard: WriteGuard;
};

/**
 * A client that fails fast: no offline queue, so a command while disconnected rejects at once and
 * nothing is replayed after an outage. Reads and writes go to masters only.
 */
export function createRedis(settings: RedisSettings, onError: (error: Error) => void): RedisClient {
  const urls = settings.url.split(",").map(part => new URL(part.trim()));
  const first = urls[0]!;
  const shared: RedisOptions = {
    connectionName: settings.connectionName,
    commandTimeout: settings.commandTimeoutMs,
    // A paused server keeps its socket open: cut it, so that commands written to it do not pile up.
    socketTimeout: Math.max(1_000, settings.commandTimeoutMs * 5),
    connectTimeout: 1_000,
    maxRetriesPerRequest: 0,
    // Look-ups of one turn of the event loop leave in one write.
    enableAutoPipelining: true,
    autoResendUnfulfilledCommands: false,
    // After a failover the old connection may lead to a replica: reconnect, and let the caller retry.
    reconnectOnError: error => error.message.startsWith("READONLY"),
    ...(first.username ? { username: decodeURIComponent(first.username) } : {}),
    ...(first.password ? { password: decodeURIComponent(first.password) } : {}),
    ...(first.protocol === "rediss:" ? { tls: {} } : {}),
  };
  const reconnectDelayMs = (attempt: number) => Math.min(50 * attempt, 1_000);
  const client =
    urls.length > 1
      ? new Cluster(
          urls.map(url => ({ host: url.hostname, port: Number(url.port || 6379) })),
          {
            redisOptions: shared,
            // The cluster has a queue of its own, which redisOptions do not reach.
            enableOfflineQueue: false,
            scaleReads: "master",
            clusterRetryStrategy: reconnectDelayMs,
            clusterNodeRetryStrategy: reconnectDelayMs,
            retryDelayOnFailover: 20,
            retryDelayOnClusterDown: 20,
            maxRedirections: 3,
            slotsRefreshTimeout: 1_000,
            slotsRefreshInterval: 5_000,
          },
        )
      : new Redis({
          ...shared,
          host: first.hostname,
          port: Number(first.port || 6379),
          db: Number(first.pathname.slice(1) || 0),
          enableOfflineQueue: false,
          retryStrategy: reconnectDelayMs,
        });
  // Without a listener ioredis prints every lost connection itself.
  client.on("error", onError);
  addScripts(client, settings.guard);
  return Object.assign(client, { guard: settings.guard }) as unknown as RedisClient;
}

/** Waits until the client answers, at most `timeoutMs`; resolves to whether it does. */
export async function redisIsReady(redis: RedisClient, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    const pong = await redis.ping().catch(() => null);
    if (pong === "PONG") return true;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  return false;
}

/** Every node that may hold keys: the server itself, or each master of the cluster. */
export function masters(redis: RedisClient): Redis[] {
  return redis instanceof Cluster ? redis.nodes("master") : [redis as Redis];
}

/** Which node serves a key, as host:port; "redis" on a standalone server. */
export function nodeOf(redis: RedisClient, key: string): string {
  if (!(redis instanceof Cluster)) return "redis";
  return redis.slots[calculateSlot(key)]?.[0] ?? "unknown";
}
