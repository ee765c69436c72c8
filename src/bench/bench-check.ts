import { freePort } from "../runtime/ports";
import { SERVER_NODE_FLAGS } from "../runtime/supervise/server-flags";
import { insertUsers, openBenchFixture } from "./bench-fixture";
import { askForFreeNames, filterIsUp, type HttpSide, trpcCheck } from "./check-load";
import { buildNextFixture } from "./fixtures/next-route";
import { type BenchResult, median } from "./result";

const USERS = 200_000;
const ROUNDS = 5;
const SECONDS_PER_SIDE = 4;

/**
 * username.check with all protections on, against three baselines, in turns. The names are free:
 * that is the answer the filter gives. A taken one costs what the side `database` costs.
 */
export async function benchCheck(): Promise<BenchResult> {
  const fixture = await openBenchFixture();
  try {
    await insertUsers(fixture.pool, USERS);
    // Filled from the users table: nothing is left for the relay to do meanwhile.
    await fixture.pool.query("TRUNCATE outbox");
    const urls = { DATABASE_URL: fixture.databaseUrl, REDIS_URL: fixture.redisUrl };
    await fixture.run(["dist/relay.js"], urls);
    await fixture.run(["dist/filter.js"], urls);
    const ports = {
      gate: await freePort(),
      database: await freePort(),
      http: await freePort(),
      next: await freePort(),
    };
    const server = (port: number, redisUrl: string) =>
      fixture.run(
        [...SERVER_NODE_FLAGS, "dist/server.js"],
        {
          DATABASE_URL: fixture.databaseUrl,
          REDIS_URL: redisUrl,
          AUTH_SECRET: "a secret that only a benchmark uses!!",
          PORT: `${port}`,
          TRUSTED_PROXY_HOPS: "1",
        },
        `http://127.0.0.1:${port}/healthz`,
      );
    await server(ports.gate, fixture.redisUrl);
    // Another database number of the same Redis holds no pointer: every check falls back.
    await server(ports.database, `${fixture.redisUrl}/1`);
    await filterIsUp(ports.gate);
    await fixture.run(
      ["--import", "tsx", "src/bench/fixtures/plain-http.ts"],
      { REDIS_URL: fixture.redisUrl, PORT: `${ports.http}` },
      `http://127.0.0.1:${ports.http}/check?username=warm`,
    );
    await fixture.run(
      await buildNextFixture(ports.next),
      {},
      `http://127.0.0.1:${ports.next}/check?username=warm`,
    );

    const plain = (username: string) => `/check?username=${username}`;
    const sides: HttpSide[] = [
      { name: "check", url: `http://127.0.0.1:${ports.gate}`, path: trpcCheck },
      { name: "nodeHttp", url: `http://127.0.0.1:${ports.http}`, path: plain },
      { name: "database", url: `http://127.0.0.1:${ports.database}`, path: trpcCheck },
      { name: "nextRoute", url: `http://127.0.0.1:${ports.next}`, path: plain },
    ];
    for (const side of sides) await askForFreeNames(side, 2);
    const rounds: Record<string, number>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const rates: Record<string, number> = {};
      for (const side of sides) rates[side.name] = await askForFreeNames(side, SECONDS_PER_SIDE);
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
    await fixture.close();
  }
}
