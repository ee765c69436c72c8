import { type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Balancer } from "../testing/balancer";
import { newPerson, nextAddress } from "../testing/server-gate";
import { postJson, rawRequest } from "../testing/server-raw-http";
import { StaffFixture } from "../testing/staff";
import { startTestServer } from "../testing/test-gate";
import { waitFor } from "../testing/wait-for";

const PROBE_EVERY_MS = 400;
const DRAIN_MS = 1_200;

let fixture: StaffFixture;
let cookie: string;

beforeAll(async () => {
  fixture = await StaffFixture.start();
  await fixture.insert("viewer", "watcher");
  cookie = await fixture.cookieOf("watcher");
});
afterAll(() => fixture.stop());

function start(env: Parameters<typeof startTestServer>[1] = {}) {
  const urls = { databaseUrl: fixture.database.url, redisUrl: fixture.redis.url };
  return startTestServer(urls, { SHUTDOWN_DRAIN_MS: DRAIN_MS, SIGNUP_MAX_WAIT_MS: 60_000, ...env });
}

describe("a server that stops behind a balancer", () => {
  it("fails none of the requests that run all the while", async () => {
    const [leaving, staying] = await Promise.all([start(), start()]);
    const balancer = await Balancer.start([leaving.url, staying.url], { probeEveryMs: PROBE_EVERY_MS });
    const statuses: number[] = [];
    let isOver = false;
    const visit = async (n: number) => {
      const headers = { "x-forwarded-for": nextAddress() };
      for (let i = 0; !isOver; i++) {
        const name = `visitor${n}x${i}`;
        const path = `username.check?input=${encodeURIComponent(JSON.stringify({ username: name }))}`;
        statuses.push((await rawRequest(`${balancer.url}/api/trpc/${path}`, { headers })).status);
        if (i % 100 !== 10) continue;
        const answer = await postJson(`${balancer.url}/api/trpc/account.signUp`, newPerson(name), headers);
        statuses.push(answer.status);
      }
    };
    const visitors = [1, 2, 3, 4].map(visit);
    await sleep(300);
    const stopped = leaving.stop();
    await waitFor("the balancer to notice", () => !balancer.isReady(leaving.url));
    await stopped;
    await sleep(300);
    isOver = true;
    await Promise.all(visitors);
    balancer.stop();
    await staying.stop();
    expect(statuses.length).toBeGreaterThan(100);
    // Every visitor has an address: some checks meet their quota.
    expect(statuses.filter(status => status !== 200 && status !== 429)).toEqual([]);
  });

  it("is alive and not ready, still answers, and closes each connection with the answer", async () => {
    const server = await start();
    const stopped = server.stop();
    const ready = await rawRequest(`${server.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(ready.json.status).toBe("down");
    expect(ready.json.problems[0]).toMatch(/is stopping/);
    expect((await rawRequest(`${server.url}/healthz`)).status).toBe(200);
    for (const path of ["/api/trpc/username.check?input=%7B%22username%22%3A%22someone%22%7D", "/a-page"])
      expect((await rawRequest(`${server.url}${path}`)).headers.connection).toBe("close");
    await stopped;
    await expect(rawRequest(`${server.url}/readyz`)).rejects.toThrow("ECONNREFUSED");
  });

  it("waits for the answer of a request that has begun", async () => {
    const server = await start({ SHUTDOWN_DRAIN_MS: 0 });
    const answer = postJson(`${server.url}/api/trpc/account.signUp`, newPerson("late-comer"), {
      "x-forwarded-for": nextAddress(),
    });
    await sleep(20);
    await server.stop();
    expect((await answer).status).toBe(200);
  });
});

describe("a stream of a server that stops", () => {
  /** The stream's text, whole when it has ended without an error. */
  function follow(url: string): Promise<{ text: string; endedAfterMs: number }> {
    const startedAt = Date.now();
    const headers = { cookie, "x-forwarded-for": nextAddress(), accept: "text/event-stream" };
    return new Promise((resolve, reject) => {
      const onAnswer = (res: IncomingMessage) => {
        let text = "";
        res.setEncoding("utf8");
        res.on("data", (chunk: string) => {
          text += chunk;
        });
        res.on("error", reject);
        res.on("end", () => resolve({ text, endedAfterMs: Date.now() - startedAt }));
      };
      request(`${url}/api/trpc/gate.live`, { headers }, onAnswer).on("error", reject).end();
    });
  }

  it("goes on while the server drains, and ends in a way that makes clients reconnect", async () => {
    const server = await start();
    const stream = follow(server.url);
    await sleep(200);
    await server.stop();
    const { text, endedAfterMs } = await stream;
    expect(endedAfterMs).toBeGreaterThan(DRAIN_MS);
    expect(text.match(/^id: /gm)?.length).toBeGreaterThan(1);
    // These would end the subscription for good.
    expect(text).not.toMatch(/event: (return|serialized-error)/);
  });
});
