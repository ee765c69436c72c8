import autocannon from "autocannon";
import { freePort } from "../runtime/ports";
import { SERVER_NODE_FLAGS } from "../runtime/supervise/server-flags";
import { buildNextFixture } from "./fixtures/next-route";
import { type BenchResult, median } from "./result";
import { insertUsers, openStage } from "./stage";

const USERS = 200_000;
const CONNECTIONS = 50;
const ROUNDS = 5;
const SECONDS_PER_SIDE = 4;
/** Clients by address, so that the limiter stays on and nobody reaches a quota. */
const CLIENTS = 50_000;

type Side = { name: string; url: string; path: (username: string) => string };

/**
 * username.check with all protections on, against three yardsticks, in turns. The names are free:
 * that is the answer the filter gives. A taken one costs what the side `database` costs.
 */
export async function benchCheck(): Promise<BenchResult> {
  const stage = await openStage();
  try {
    await insertUsers(stage.pool, USERS);
    // Filled from the users table: nothing is left for the relay to do meanwhile.
    await stage.pool.query("TRUNCATE outbox");
    await stage.run(["dist/relay.js"], { DATABASE_URL: stage.databaseUrl, REDIS_URL: stage.redisUrl });
    const ports = {
      gate: await freePort(),
      database: await freePort(),
      http: await freePort(),
      next: await freePort(),
    };
    const server = (port: number, redisUrl: string) =>
      stage.run(
        [...SERVER_NODE_FLAGS, "dist/server.js"],
        {
          DATABASE_URL: stage.databaseUrl,
          REDIS_URL: redisUrl,
          AUTH_SECRET: "a secret that only a benchmark uses!!",
          PORT: `${port}`,
          TRUSTED_PROXY_HOPS: "1",
        },
        `http://127.0.0.1:${port}/healthz`,
      );
    await server(ports.gate, stage.redisUrl);
    // Another database number of the same Redis holds no pointer: every check falls back.
    await server(ports.database, `${stage.redisUrl}/1`);
    await filterIsUp(ports.gate);
    await stage.run(
      ["--import", "tsx", "src/bench/fixtures/plain-http.ts"],
      { REDIS_URL: stage.redisUrl, PORT: `${ports.http}` },
      `http://127.0.0.1:${ports.http}/check?username=warm`,
    );
    await stage.run(
      await buildNextFixture(ports.next),
      {},
      `http://127.0.0.1:${ports.next}/check?username=warm`,
    );

    const trpc = (username: string) =>
      `/api/trpc/username.check?batch=1&input=${encodeURIComponent(JSON.stringify({ 0: { username } }))}`;
    const plain = (username: string) => `/check?username=${username}`;
    const sides: Side[] = [
      { name: "check", url: `http://127.0.0.1:${ports.gate}`, path: trpc },
      { name: "nodeHttp", url: `http://127.0.0.1:${ports.http}`, path: plain },
      { name: "database", url: `http://127.0.0.1:${ports.database}`, path: trpc },
      { name: "nextRoute", url: `http://127.0.0.1:${ports.next}`, path: plain },
    ];
    for (const side of sides) await load(side, 2);
    const rounds: Record<string, number>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const rates: Record<string, number> = {};
      for (const side of sides) rates[side.name] = await load(side, SECONDS_PER_SIDE);
      rounds.push(rates);
    }
    const rate = (name: string) => median(rounds.map(round => round[name]!));
    const ratio = (name: string) => median(rounds.map(round => round.check! / round[name]!));
    return {
      bench: "check",
      rates: Object.fromEntries(sides.map(side => [side.name, rate(side.name)])),
      ratios: {
        vsNextRoute: { value: ratio("nextRoute"), atLeast: 8 },
        vsNodeHttp: { value: ratio("nodeHttp"), atLeast: 0.35 },
        vsDatabase: { value: ratio("database"), atLeast: 3 },
      },
    };
  } finally {
    await stage.close();
  }
}

let asked = 0;

/** Requests per second that were answered rightly; anything but 200 ends the benchmark. */
async function load(side: Side, seconds: number): Promise<number> {
  const result = await autocannon({
    url: side.url,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [
      {
        setupRequest(request) {
          asked += 1;
          const client = asked % CLIENTS;
          return {
            ...request,
            path: side.path(`free${asked.toString(36)}`),
            headers: { "x-forwarded-for": `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}` },
          };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${side.name}: ${result.non2xx} answers were not 200, ${result.errors} failed`);
  }
  return result.requests.average;
}

async function filterIsUp(port: number): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const health = await fetch(`http://127.0.0.1:${port}/healthz`).then(response => response.json());
    if (health.status === "ok") return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error("the filter was not built within a minute");
}
