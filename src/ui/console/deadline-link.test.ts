import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createTRPCClient, httpLink } from "@trpc/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppRouter } from "../../api/router";
import { deadlineLink, isAborted } from "./deadline-link";
import { explainFailure } from "./parts/explain-failure";

describe("a call to a server that never answers", () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer(() => {});
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.closeAllConnections());

  const client = (queryMs: number, mutationMs: number) =>
    createTRPCClient<AppRouter>({ links: [deadlineLink({ queryMs, mutationMs }), httpLink({ url })] });
  const failureOf = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      error => error as unknown,
    );

  it("is aborted at the deadline of a query, which can be retried", async () => {
    const error = await failureOf(client(30, 60_000).gate.health.query());
    expect(isAborted(error)).toBe(true);
    expect(explainFailure(error)).toMatchObject({ title: "No answer from the server", canRetry: true });
  });

  it("is aborted at the deadline of a mutation, whose outcome is unknown", async () => {
    const change = { id: "1", reason: "a test" };
    const error = await failureOf(client(60_000, 30).token.revoke.mutate(change));
    expect(isAborted(error)).toBe(true);
    expect(explainFailure(error, true).text).toContain("unknown");
  });

  it("can set its own deadline, and can be aborted earlier", async () => {
    const slow = client(60_000, 60_000).gate.health;
    expect(isAborted(await failureOf(slow.query(undefined, { context: { deadlineMs: 30 } })))).toBe(true);
    const leaving = new AbortController();
    const pending = failureOf(slow.query(undefined, { signal: leaving.signal }));
    leaving.abort();
    expect(isAborted(await pending)).toBe(true);
  });
});

it("isAborted is false for a refused connection", () => {
  expect(isAborted(Object.assign(new Error("no"), { cause: new TypeError("fetch failed") }))).toBe(false);
  expect(isAborted(undefined)).toBe(false);
});
