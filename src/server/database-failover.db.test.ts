import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startEmbedded } from "../runtime/embedded/start-embedded";
import { migrate } from "../store/migrate";
import { openTestPool } from "../testing/open-test-pool";
import { newPerson } from "../testing/server-gate";
import { TcpProxy } from "../testing/server-tcp-proxy";
import { runSql } from "../testing/test-database";
import { apiClient, startTestServer } from "../testing/test-gate";
import { TestRedis } from "../testing/test-redis";

const MIGRATIONS = join(import.meta.dirname, "../../prisma/migrations");
const PROMISED_MS = 5_000;

type Primary = { url: string; stop(): Promise<void> };

async function startPrimary(): Promise<Primary> {
  const dataDir = await mkdtemp(join(tmpdir(), "floodgate-primary-"));
  const embedded = await startEmbedded({ dataDir, needPostgres: true, needRedis: false, log: () => {} });
  const url = embedded.databaseUrl!;
  await migrate(openTestPool(url, { applicationName: "migrate", maxConnections: 2 }), MIGRATIONS);
  return {
    url,
    async stop() {
      await embedded.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

describe("a failover to another server, while sockets to the old one are open", () => {
  let [old, next]: Primary[] = [];
  let redis: TestRedis;
  let proxy: TcpProxy;
  let server: Awaited<ReturnType<typeof startTestServer>>;
  beforeEach(async () => {
    [old, next, redis] = await Promise.all([startPrimary(), startPrimary(), TestRedis.start()]);
    const { username, password } = new URL(old.url);
    await runSql(next.url, `ALTER ROLE ${username} PASSWORD '${decodeURIComponent(password)}'`);
    proxy = await TcpProxy.start(old.url);
    server = await startTestServer({ databaseUrl: proxy.through(old.url), redisUrl: redis.url });
  });
  afterEach(async () => {
    await server.stop();
    await proxy.stop();
    await Promise.all([old?.stop(), next?.stop(), redis.remove()]);
  });

  const signUp = (name: string) => apiClient(server.url).account.signUp.mutate(newPerson(name));

  it.each([
    [
      "takes no writes any more",
      () =>
        runSql(old!.url, "ALTER SYSTEM SET default_transaction_read_only = on").then(() =>
          runSql(old!.url, "SELECT pg_reload_conf()"),
        ),
    ],
    ["has ended", () => old!.stop()],
  ])("the old one %s: the first sign-up succeeds within 5 s", async (_, fail) => {
    // All connections of the pool lead to the old server.
    await Promise.all(Array.from({ length: 12 }, (__, n) => signUp(`before${n}`)));
    await fail();
    const failed = await signUp("in-between").catch((error: Error) => error);
    expect(failed).toMatchObject({ data: { code: "SERVICE_UNAVAILABLE" } });
    proxy.retarget(next!.url);
    const startedAt = performance.now();
    for (let n = 0; ; n += 1) {
      const outcome = await signUp(`after${n}`).then(
        () => "created",
        (error: { data?: { code: string } }) => error.data?.code,
      );
      if (outcome === "created") break;
      expect(outcome).toBe("SERVICE_UNAVAILABLE");
      expect(performance.now() - startedAt).toBeLessThan(PROMISED_MS);
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    console.log("first sign-up after the failover, ms:", Math.round(performance.now() - startedAt));
    expect(performance.now() - startedAt).toBeLessThan(PROMISED_MS);
  });
});
