import { randomUUID } from "node:crypto";
import { freePort } from "../runtime/ports";
import { SERVER_NODE_FLAGS } from "../runtime/supervise/server-flags";
import { openBenchFixture } from "./bench-fixture";
import { filterIsUp } from "./check-load";
import { type BenchResult, median } from "./result";

const ROUNDS = 12;
const SIGN_UPS_PER_SIDE = 60;
const AT_ONCE = 2;

/** Sign-ups with an idempotency key against sign-ups without one, in turns. */
export async function benchSignup(): Promise<BenchResult> {
  const fixture = await openBenchFixture();
  try {
    const urls = { DATABASE_URL: fixture.databaseUrl, REDIS_URL: fixture.redisUrl };
    await fixture.run(["dist/relay.js"], urls);
    await fixture.run(["dist/filter.js"], urls);
    const port = await freePort();
    const settings = {
      ...urls,
      AUTH_SECRET: "a secret that only a benchmark uses!!",
      PORT: `${port}`,
      TRUSTED_PROXY_HOPS: "1",
    };
    const url = `http://127.0.0.1:${port}`;
    await fixture.run([...SERVER_NODE_FLAGS, "dist/server.js"], settings, `${url}/healthz`);
    await filterIsUp(port);
    await signUpsPerSecond(url, true);
    await signUpsPerSecond(url, false);
    const rounds: { withKey: number; without: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // The order changes with each round: what warms up or fills up favours neither side.
      const first = await signUpsPerSecond(url, round % 2 === 0);
      const second = await signUpsPerSecond(url, round % 2 !== 0);
      rounds.push(
        round % 2 === 0 ? { withKey: first, without: second } : { withKey: second, without: first },
      );
    }
    return {
      bench: "signup",
      rates: {
        withKey: median(rounds.map(({ withKey }) => withKey)),
        without: median(rounds.map(({ without }) => without)),
      },
      ratios: {
        withKeyOverWithout: {
          value: median(rounds.map(({ withKey, without }) => withKey / without)),
          atLeast: 0.97,
        },
      },
    };
  } finally {
    await fixture.close();
  }
}

let people = 0;

async function signUpsPerSecond(url: string, hasKey: boolean): Promise<number> {
  const startedAt = performance.now();
  let left = SIGN_UPS_PER_SIDE;
  const signUps = async () => {
    while (left > 0) {
      left -= 1;
      await signUp(url, hasKey);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, signUps));
  return (SIGN_UPS_PER_SIDE / (performance.now() - startedAt)) * 1_000;
}

async function signUp(url: string, hasKey: boolean): Promise<void> {
  people += 1;
  const username = `signer${people}`;
  const response = await fetch(`${url}/api/trpc/account.signUp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      // Each person has quotas of their own.
      "x-forwarded-for": `10.${people >> 16}.${(people >> 8) & 255}.${people & 255}`,
      ...(hasKey && { "idempotency-key": randomUUID() }),
    },
    body: JSON.stringify({ username, email: `${username}@example.com`, password: "seven rivers run north" }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok)
    throw new Error(`a sign-up was answered with ${response.status}: ${await response.text()}`);
}
