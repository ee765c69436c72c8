import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../domain/percentile";
import { createSender } from "../../load/send";
import { freePort } from "../../runtime/ports";
import { SERVER_NODE_FLAGS } from "../../runtime/supervise/server-flags";
import { bySystem } from "../../services/filter/advance-version";
import { cancelRebuild } from "../../services/filter/cancel-rebuild";
import { requestRebuild } from "../../services/filter/request-rebuild";
import { createPrisma, type PrismaClient } from "../../store/postgres";
import { type BenchFixture, insertUsers } from "../bench-fixture";
import { filterIsUp } from "../check-load";
import { median } from "../result";

const USERS = 1_000_000;
const ROUNDS = 3;
const QUIET_MS = 8_000;
const CHECKS_PER_SECOND = 200;
const SIGNUPS_PER_SECOND = 4;
const REBUILD_TIMEOUT_MS = 300_000;
const WATERMARK_INTERVAL_MS = 5;
const reason = "benchmark";

export type CheckP99 = { quietMs: number; duringMs: number; ratio: number; lostSignups: number };

/**
 * How long a check takes at the 99th percentile, at a steady rate and with signups beside it: quietly,
 * and from the request for a new version until it is verified. All processes as in production.
 */
export async function measureCheckP99(fixture: BenchFixture): Promise<CheckP99> {
  await insertUsers(fixture.pool, USERS);
  await fixture.pool.query("TRUNCATE outbox");
  const urls = { DATABASE_URL: fixture.databaseUrl, REDIS_URL: fixture.redisUrl };
  await fixture.run(["dist/relay.js"], urls);
  await fixture.run(["dist/filter.js"], { ...urls, FILTER_CAPACITY: `${2 * USERS}` });
  const port = await freePort();
  const server = {
    PORT: `${port}`,
    TRUSTED_PROXY_HOPS: "1",
    AUTH_SECRET: "a secret that only a benchmark uses!!",
  };
  await fixture.run(
    [...SERVER_NODE_FLAGS, "dist/server.js"],
    { ...urls, ...server },
    `http://127.0.0.1:${port}/healthz`,
  );
  await filterIsUp(port);
  const prisma = createPrisma(fixture.pool);
  const load = startLoad(`http://127.0.0.1:${port}`);
  await sleep(QUIET_MS);
  const rounds: { quiet: number; during: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    load.takeP99();
    await sleep(QUIET_MS);
    const quiet = load.takeP99();
    const version = await rebuild(prisma);
    rounds.push({ quiet, during: load.takeP99() });
    await cancelRebuild(prisma, bySystem("filter.cancel"), { version, reason });
    await until(prisma, version, "cancelled");
  }
  const signedUp = await load.stop();
  const found = await prisma.user.count({ where: { usernameKey: { in: signedUp } } });
  return {
    quietMs: median(rounds.map(({ quiet }) => quiet)),
    duringMs: median(rounds.map(({ during }) => during)),
    ratio: median(rounds.map(({ quiet, during }) => during / quiet)),
    lostSignups: signedUp.length - found,
  };
}

async function rebuild(prisma: PrismaClient): Promise<number> {
  const { engine } = await prisma.filterVersion.findFirstOrThrow({ where: { state: "active" } });
  const request = { capacity: 2 * USERS, errorRate: 0.01, engine: engine as "redisbloom" | "bitmap", reason };
  const { version } = await requestRebuild(prisma, bySystem("filter.rebuild"), request);
  await until(prisma, version, "ready");
  return version;
}

async function until(prisma: PrismaClient, version: number, state: string): Promise<void> {
  for (const deadline = Date.now() + REBUILD_TIMEOUT_MS; Date.now() < deadline; await sleep(50)) {
    const found = await prisma.filterVersion.findUniqueOrThrow({ where: { version } });
    if (found.state === state) return;
    if (found.state === "failed") throw new Error(`the rebuild failed: ${found.failure}`);
  }
  throw new Error(`v${version} was not ${state} in time`);
}

/** Checks and signups at a fixed rate, independent of the answers. */
function startLoad(url: string) {
  const { send, close } = createSender(url);
  const run = Date.now().toString(36);
  const inFlight = new Set<Promise<unknown>>();
  const signedUp: string[] = [];
  let times: number[] = [];
  let [checks, signups] = [0, 0];
  const startedAt = performance.now();
  const track = (work: Promise<unknown>) => {
    const done = work.finally(() => inFlight.delete(done));
    inFlight.add(done);
  };
  const address = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
  const check = async (n: number) => {
    const at = performance.now();
    const username = `free${run}x${n}`;
    const { status } = await send({ procedure: "username.check", input: { username }, client: address(n) });
    if (status !== 200) throw new Error(`a check was answered with ${status}`);
    times.push(performance.now() - at);
  };
  const signUp = async (n: number) => {
    const username = `bench${run}x${n}`;
    const input = { username, email: `${username}@example.com`, password: "correct horse battery" };
    const { status } = await send({ procedure: "account.signUp", input, mutation: true, client: address(n) });
    if (status === 200) signedUp.push(username);
  };
  const timer = setInterval(() => {
    const seconds = (performance.now() - startedAt) / 1_000;
    for (; checks < seconds * CHECKS_PER_SECOND; checks += 1) track(check(checks));
    for (; signups < seconds * SIGNUPS_PER_SECOND; signups += 1) track(signUp(signups));
  }, WATERMARK_INTERVAL_MS);
  return {
    /** Milliseconds, of the checks since the last call. */
    takeP99(): number {
      const p99 = percentile(times, 0.99);
      times = [];
      return p99;
    },
    /** The names that were taken. */
    async stop(): Promise<string[]> {
      clearInterval(timer);
      await Promise.all(inFlight);
      close();
      return signedUp;
    },
  };
}
