import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { serverEnv } from "../process/server-env";
import { freePort } from "../runtime/ports";
import { runServer } from "../server/run-server";
import { quietLog } from "../testing/quiet-log";
import { createTestDatabase } from "../testing/test-database";
import { TestRedis } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";
import { UNGUARDED } from "./owner-guard";
import { createRedis, masters, type RedisClient, redisIsReady } from "./redis";

const FOLDER = join(import.meta.dirname, "../testing/tls");
const CA = join(FOLDER, "ca.pem");

const HAS_IPV6 = networkInterfaces().lo?.some(({ address }) => address === "::1") ?? false;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function open(url: string): RedisClient {
  const redis = createRedis(
    { url, connectionName: "test", commandTimeoutMs: 2_000, guard: UNGUARDED },
    () => {},
  );
  cleanups.push(() => redis.disconnect());
  return redis;
}

/** A server with a certificate for this name alone, also on IPv6. */
async function startTls(certificate: "localhost" | "other", extra: string[] = []) {
  const port = await freePort();
  const file = (name: string) => join(FOLDER, name);
  const tls = ["--tls-port", `${port}`, "--tls-auth-clients", "no", "--tls-ca-cert-file", CA];
  const key = [
    "--tls-cert-file",
    file(`${certificate}.pem`),
    "--tls-key-file",
    file(`${certificate}.key.pem`),
  ];
  const server = await TestRedis.start(tls.concat(key, extra));
  cleanups.push(() => server.remove());
  return { server, port };
}

describe("a Redis client", () => {
  it.skipIf(!HAS_IPV6)("connects to an IPv6 address", async () => {
    const server = await TestRedis.start(["--bind", "127.0.0.1", "::1"]);
    cleanups.push(() => server.remove());
    expect(await redisIsReady(open(`redis://[::1]:${server.port}`), 5_000)).toBe(true);
  });

  it("trusts a private authority that ?ca= names, and says so when none is named", async () => {
    const { port } = await startTls("localhost");
    const redis = open(`rediss://localhost:${port}?ca=${CA}`);
    expect(await redisIsReady(redis, 5_000)).toBe(true);
    expect(redis.trouble.problem).toBeNull();
    const untrusting = open(`rediss://localhost:${port}`);
    await waitFor("the reason", () => untrusting.trouble.problem !== null);
    expect(untrusting.trouble.problem).toMatch(/not from a known authority.*\?ca=/);
  });

  it.each([
    [
      "the address of a server whose certificate has only its name",
      "localhost",
      "127.0.0.1",
      "is for localhost, and not for 127.0.0.1",
    ],
    ["another name", "other", "localhost", "is for redis.example.com, and not for localhost"],
  ] as const)("names what a certificate is for: %s", async (_, certificate, host, words) => {
    const { port } = await startTls(certificate);
    const redis = open(`rediss://${host}:${port}?ca=${CA}`);
    await waitFor("the reason", () => redis.trouble.problem !== null);
    expect(redis.trouble.problem).toContain(words);
    expect(await redisIsReady(redis, 300)).toBe(false);
  });

  it.each([
    [
      "a host that does not exist",
      async () => "redis://no-such-host.invalid:6379",
      /there is no host no-such-host.invalid/,
    ],
    [
      "a password that is wrong",
      async () => `redis://a:b@127.0.0.1:${(await plain()).port}`,
      /refuses the user or the password/,
    ],
  ])("names the cause: %s", async (_, url, words) => {
    const redis = open(await url());
    await waitFor("the reason", () => redis.trouble.problem !== null);
    expect(redis.trouble.problem).toMatch(words);
  });

  it("calls an outage no trouble", async () => {
    const redis = open(`redis://127.0.0.1:${await freePort()}`);
    await new Promise(resolve => setTimeout(resolve, 500));
    expect(redis.trouble.problem).toBeNull();
  });

  it("finds a cluster of TLS masters by one discovery address, and checks their names", async () => {
    const redis = await startTlsCluster();
    expect(await redisIsReady(redis, 10_000)).toBe(true);
    await waitFor("all masters", () => masters(redis).length === 3);
    for (const key of ["a", "b", "c", "d"]) expect(await redis.write(key, "SET", 1)).toBe("OK");
  });
});

async function plain(): Promise<TestRedis> {
  const server = await TestRedis.start();
  cleanups.push(() => server.remove());
  return server;
}

/** Three masters that announce "localhost"; their certificates are for that name, and not for 127.0.0.1. */
async function startTlsCluster() {
  const nodes: { server: TestRedis; port: number; bus: number }[] = [];
  for (let i = 0; i < 3; i += 1) {
    const bus = await freePort();
    const cluster = "--cluster-enabled yes --cluster-config-file nodes.conf --tls-cluster yes --cluster-port";
    const names = "--cluster-announce-hostname localhost --cluster-preferred-endpoint-type hostname";
    const { server, port } = await startTls("localhost", `${cluster} ${bus} ${names}`.split(" "));
    nodes.push({ server, port, bus });
  }
  const slots = [0, 5_461, 10_923, 16_384];
  for (const [i, { server, port }] of nodes.entries()) {
    await server.ask("CLUSTER", "ADDSLOTSRANGE", `${slots[i]}`, `${slots[i + 1]! - 1}`);
    await server.ask("CLUSTER", "SET-CONFIG-EPOCH", `${i + 1}`);
    if (i > 0) await nodes[0]!.server.ask("CLUSTER", "MEET", "127.0.0.1", `${port}`, `${nodes[i]!.bus}`);
  }
  await waitFor("the cluster", async () =>
    (await Promise.all(nodes.map(({ server }) => server.ask("CLUSTER", "INFO")))).every(info =>
      /cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(String(info)),
    ),
  );
  return open(`rediss://localhost:${nodes[0]!.port}?cluster&ca=${CA}`);
}

describe("health", () => {
  it("names the certificate's name instead of silence", async () => {
    const { port } = await startTls("other");
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    const env = serverEnv.parse({
      DATABASE_URL: database.url,
      REDIS_URL: `rediss://localhost:${port}?ca=${CA}`,
      AUTH_SECRET: "a secret that only the tests of this repository use",
      PORT: await freePort(),
    });
    const running = await runServer(env, { log: quietLog("server"), pages: async () => {} });
    cleanups.push(() => running.stop());
    const health = async () =>
      (await (await fetch(`http://127.0.0.1:${env.PORT}/healthz`)).json()) as { problems: string[] };
    await waitFor("the problem", async () =>
      (await health()).problems.some(text => text.includes("unreachable")),
    );
    expect((await health()).problems).toContain(
      "Redis is unreachable: its certificate is for redis.example.com, and not for localhost.",
    );
  });
});
