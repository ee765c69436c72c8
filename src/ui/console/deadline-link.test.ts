import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createTRPCClient, httpLink } from "@trpc/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AppRouter } from "../../api/router";
import { deadlineLink, isGivenUp } from "./deadline-link";
import { explainFailure } from "./parts/explain-failure";

describe("a server that takes requests and never answers", () => {
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

  it("is given up: a query after its deadline, whose page asks again", async () => {
    const error = await failureOf(client(30, 60_000).gate.health.query());
    expect(isGivenUp(error)).toBe(true);
    expect(explainFailure(error)).toMatchObject({ title: "No answer from the server", canRetry: true });
  });

  it("is given up: a change after its own, and what came of it is said to be unknown", async () => {
    const change = { id: "1", reason: "a test" };
    const error = await failureOf(client(60_000, 30).token.revoke.mutate(change));
    expect(isGivenUp(error)).toBe(true);
    expect(explainFailure(error, true).text).toContain("unknown");
  });

  it("lets a call say how long it may take, and end it earlier", async () => {
    const slow = client(60_000, 60_000).gate.health;
    expect(isGivenUp(await failureOf(slow.query(undefined, { context: { deadlineMs: 30 } })))).toBe(true);
    const leaving = new AbortController();
    const asked = failureOf(slow.query(undefined, { signal: leaving.signal }));
    leaving.abort();
    expect(isGivenUp(await asked)).toBe(true);
  });
});

it("tells a refusal from a call that was given up", () => {
  expect(isGivenUp(Object.assign(new Error("no"), { cause: new TypeError("fetch failed") }))).toBe(false);
  expect(isGivenUp(undefined)).toBe(false);
});
