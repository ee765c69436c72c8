import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";

export type RedisUrl = {
  nodes: { host: string; port: number }[];
  isCluster: boolean;
  username: string;
  password: string;
  tls: ConnectionOptions | null;
  db: number;
};

/**
 * One URL, or several with commas: nodes of a Redis Cluster. `?cluster` says that one address stands for a cluster,
 * `?ca=<file>` names a private authority's certificates (PEM). User, password, TLS and authority are the first URL's.
 * @throws when the file can't be read
 */
export function readRedisUrl(text: string): RedisUrl {
  const urls = text.split(",").map(part => new URL(part.trim()));
  const first = urls[0]!;
  return {
    nodes: urls.map(({ hostname, port }) => ({
      // A URL has an IPv6 address in brackets, a socket without.
      host: hostname.replace(/^\[(.*)\]$/, "$1"),
      port: Number(port || 6379),
    })),
    isCluster: urls.length > 1 || first.searchParams.has("cluster"),
    username: decodeURIComponent(first.username),
    password: decodeURIComponent(first.password),
    tls: first.protocol === "rediss:" ? readTls(first.searchParams.get("ca")) : null,
    db: Number(first.pathname.slice(1) || 0),
  };
}

function readTls(file: string | null): ConnectionOptions {
  if (file === null) return {};
  try {
    return { ca: readFileSync(file, "utf8") };
  } catch (cause) {
    throw new Error(`REDIS_URL: the file of ?ca= can't be read: ${file}`, { cause });
  }
}
