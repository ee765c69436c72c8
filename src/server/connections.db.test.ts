import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPerson, nextAddress, TestGate, type TestServer } from "../testing/server-gate";
import { postJson, rawRequest } from "../testing/server-raw-http";
import { apiClient, startTestServer } from "../testing/test-gate";
import { waitFor } from "../testing/wait-for";

let gate: TestGate;

beforeAll(async () => {
  gate = await TestGate.start();
});

afterAll(() => gate.stop());

/** Sends bytes and closes the connection without reading an answer. */
async function sendAndLeave(server: TestServer, bytes: string): Promise<void> {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  await new Promise(resolve => socket.write(bytes, resolve));
  socket.destroy();
}

describe("clients that leave early", () => {
  const input = encodeURIComponent(JSON.stringify({ username: "alice" }));
  const body = JSON.stringify(newPerson("left-early"));
  it.each([
    ["during a check", `GET /api/trpc/username.check?input=${input} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["during a batch", `GET /api/trpc/username.check,account.me?batch=1 HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      "in the middle of a body",
      `POST /api/trpc/account.signUp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{`,
    ],
    [
      "after a whole signup",
      `POST /api/trpc/account.signUp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ],
    ["in the middle of a head", "GET /api/trpc/username.check?inp"],
    ["after something that is not HTTP", "\x16\x03\x01\x02\x00\x01\x00"],
  ])("%s, fifty times: the server still serves", async (_, bytes) => {
    for (let n = 0; n < 50; n += 1) await sendAndLeave(gate.server, bytes);
    expect(await gate.check("alice-is-free")).toMatchObject({ status: "available" });
    const open = () =>
      new Promise<number>((resolve, reject) =>
        gate.server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      );
    // The kept-alive connections of this test's own clients remain.
    await waitFor("their connections to be closed", async () => (await open()) < 20);
  });
});

describe("stopping a server", () => {
  it("ends the running signups, takes no new ones, and does not wait for idle connections", async () => {
    const server = await startTestServer(gate.urls);
    const idle = apiClient(server.url, { address: nextAddress() });
    await idle.account.me.query();
    const signUps = Array.from({ length: 5 }, (_, n) =>
      postJson(`${server.url}/api/trpc/account.signUp`, newPerson(`last-minute${n}`), {
        "x-forwarded-for": nextAddress(),
      }),
    );
    await waitFor("the signups to run", async () => {
      const metric = await server.registry.getSingleMetric("bloom_lookups_total")!.get();
      return metric.values.reduce((sum, { value }) => sum + value, 0) >= 5;
    });
    const startedAt = performance.now();
    const stopped = server.stop();
    expect((await Promise.all(signUps)).map(answer => answer.status)).toEqual([200, 200, 200, 200, 200]);
    await stopped;
    expect(performance.now() - startedAt).toBeLessThan(4_500);
    await expect(rawRequest(`${server.url}/healthz`)).rejects.toThrow(/ECONNREFUSED/);
    expect(await gate.count("users", "username_key LIKE 'last-minute%'")).toBe(5);
  });

  it("fails with a clear error when the port is in use, and leaves no part running", async () => {
    const port = Number(new URL(gate.server.url).port);
    await expect(startTestServer(gate.urls, { PORT: port })).rejects.toThrow(/EADDRINUSE/);
    const connections = async () => {
      const { rows } = await gate.database.pool.query(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'floodgate server'`,
      );
      return rows[0].count;
    };
    const clients = async () =>
      String(await gate.redis.ask("CLIENT", "LIST")).match(/name=floodgate-server/g)?.length ?? 0;
    await waitFor("the failed one's connections to be gone", async () => {
      return (await connections()) <= 10 && (await clients()) === 1;
    });
    expect(await gate.check("still-served")).toMatchObject({ status: "available" });
  });
});
