import type { EventEmitter } from "node:events";
import calculateSlot from "cluster-key-slot";
import { Cluster, Redis, type RedisOptions } from "ioredis";
import { ConnectionTrouble } from "./connection-trouble";
import { addScripts, type ScriptedRedis } from "./lua-scripts";
import type { WriteGuard } from "./owner-guard";
import { readRedisUrl } from "./redis-url";

/** A standalone server or a cluster; every command of ours carries one key (or keys of one hash tag). */
export type RedisClient = (Redis | Cluster) &
  ScriptedRedis & { readonly guard: WriteGuard; readonly trouble: ConnectionTrouble };

export type RedisSettings = {
  /** As readRedisUrl takes it. */
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
  const { nodes, isCluster, username, password, tls, db } = readRedisUrl(settings.url);
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
    ...(username === "" ? {} : { username }),
    ...(password === "" ? {} : { password }),
    ...(tls === null ? {} : { tls }),
  };
  const reconnectDelayMs = (attempt: number) => Math.min(50 * attempt, 1_000);
  const client = isCluster
    ? new Cluster(nodes, {
        redisOptions: shared,
        // A certificate is for the name: the connection looks its address up, each time it is made.
        dnsLookup: (host, callback) => callback(null, host),
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
      })
    : new Redis({
        ...shared,
        ...nodes[0],
        db,
        enableOfflineQueue: false,
        retryStrategy: reconnectDelayMs,
      });
  // Without a listener ioredis prints every lost connection itself.
  client.on("error", onError);
  if (client instanceof Redis && tls !== null) ignoreLateErrors(client);
  const trouble = new ConnectionTrouble(client);
  addScripts(client, settings.guard);
  return Object.assign(client, { guard: settings.guard, trouble }) as unknown as RedisClient;
}

/** A socket that is closed in the middle of a TLS handshake fails once more, when the client listens no longer. */
function ignoreLateErrors(client: Redis): void {
  client.on("connecting", () =>
    setImmediate(() => (client as unknown as { stream?: EventEmitter }).stream?.on("error", () => {})),
  );
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
