import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createTRPCClient, httpBatchLink, httpLink } from "@trpc/client";
import { nodeHTTPRequestHandler } from "@trpc/server/adapters/node-http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readUsername } from "../domain/username/username-policy";
import { ConcurrencyLimiter } from "../runtime/concurrency-limiter";
import { quietLog } from "../testing/quiet-log";
import { type RawAnswer, rawRequest } from "../testing/server-raw-http";
import { serveCheckFastPath } from "./check-fast-path";
import { type Context, createContext, type Services } from "./context";
import { type AppRouter, appRouter } from "./router";

const unused = () => Promise.reject(new Error("not part of a check"));

/** Answers by the policy alone, and throws for two names. */
const services: Services = {
  async checkUsername(raw) {
    if (raw === "throws-error") throw new Error("SELECT 1 FROM users_secret at /srv/app");
    if (raw === "throws-string") throw "a string with a secret";
    const name = readUsername(raw);
    if (!name.ok) return { status: "invalid", rule: name.rule, message: name.message };
    return { status: "available", source: "filter" };
  },
  signUp: unused,
  openSession: unused,
  readSession: unused,
  closeSession: unused,
  readToken: unused,
  prisma: {} as Services["prisma"],
  refusals: {} as Services["refusals"],
  gate: {} as Services["gate"],
  filter: {} as Services["filter"],
  orders: {} as Services["orders"],
  shards: {} as Services["shards"],
  lab: {} as Services["lab"],
  health: () => Promise.reject(new Error("not asked")),
  noteDatabaseTrouble: () => {},
  liveStreams: new ConcurrencyLimiter(1),
  streamsSignal: new AbortController().signal,
  build: "a-build",
  environment: "test",
  singleSignOn: () => null,
  readSeries: unused,
};

let requests = 0;
let servedOnFastPath = 0;
let fast: Server;
let plain: Server;

function contextOf(req: IncomingMessage, res: ServerResponse): Context {
  requests += 1;
  return createContext({
    requestId: `request-${requests}`,
    head: {
      cookie: "",
      authorization: "",
      userAgent: "",
      idempotencyKey: "",
      requestId: `request-${requests}`,
      clientAddress: String(req.headers["x-client"] ?? "client"),
    },
    services,
    limits: {
      check: async address => (address === "limited" ? 1_500 : 0),
      signUp: async () => 0,
      session: async () => 0,
    },
    log: quietLog("test"),
    setCookies: cookies => void cookies.map(cookie => res.appendHeader("set-cookie", cookie)),
  });
}

function serveByTrpc(req: IncomingMessage, res: ServerResponse): void {
  const path = req.url!.slice("/api/trpc/".length).split("?", 1)[0]!;
  const createContext = async () => contextOf(req, res);
  void nodeHTTPRequestHandler({ router: appRouter, req, res, path, createContext, maxBatchSize: 10 });
}

async function listen(server: Server): Promise<Server> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

beforeAll(async () => {
  plain = await listen(createServer(serveByTrpc));
  fast = await listen(
    createServer((req, res) => {
      if (serveCheckFastPath(req, res, contextOf)) servedOnFastPath += 1;
      else serveByTrpc(req, res);
    }),
  );
});

afterAll(() => {
  plain.close();
  fast.close();
});

const seen = ({ status, headers, text, json }: RawAnswer) => ({
  status,
  type: headers["content-type"],
  vary: headers.vary,
  allow: headers.allow,
  body: json === undefined ? text : JSON.parse(text.replace(/"requestId":"[^"]*"/g, '"requestId":"…"')),
});

async function bothAnswers(query: string, headers: Record<string, string> = {}, path = "username.check") {
  const ask = async (server: Server) => {
    const { port } = server.address() as AddressInfo;
    return seen(await rawRequest(`http://127.0.0.1:${port}/api/trpc/${path}${query}`, { headers }));
  };
  const before = servedOnFastPath;
  const byFastPath = await ask(fast);
  return { byFastPath, wasFastPath: servedOnFastPath > before, byTrpc: await ask(plain) };
}

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));
const single = (input: unknown) => `?input=${json(input)}`;
const batch = (inputs: unknown) => `?batch=1&input=${json(inputs)}`;

/** Inputs and their queries. All of them must take the fast path. */
const PLAIN_GETS: [string, string][] = [
  ["a valid name", single({ username: "alice" })],
  ["an invalid name", single({ username: "a" })],
  ["an empty name", single({ username: "" })],
  ["umlauts", single({ username: "j\u00f6rg" })],
  ["Greek and emoji", single({ username: "\u03b1\u03b2\u03b3\u{1f600}" })],
  ["NUL", single({ username: "bob\0" })],
  ["a lone surrogate", single({ username: "\ud83d" })],
  ["600 letters", single({ username: "a".repeat(600) })],
  ["no username", single({})],
  ["a further field", single({ username: "alice", more: 1 })],
  ["a number", single({ username: 7 })],
  ["null for a name", single({ username: null })],
  ["an array for a name", single({ username: ["alice"] })],
  ["null for an input", single(null)],
  ["a string for an input", single("alice")],
  ["a number for an input", single(7)],
  ["an array for an input", single([])],
  ["an input named __proto__", "?input=%7B%22__proto__%22%3A%7B%22username%22%3A%22alice%22%7D%7D"],
  ["a service that throws an error", single({ username: "throws-error" })],
  ["a service that throws a string", single({ username: "throws-string" })],
  ["a batch of one", batch({ 0: { username: "alice" } })],
  ["a batch of one invalid", batch({ 0: { username: 7 } })],
  ["a batch of one that throws", batch({ 0: { username: "throws-error" } })],
  ["a batch of one with inputs to spare", batch({ 0: { username: "alice" }, 1: { username: "bob" } })],
  ["a batch of one without its input", batch({ 1: { username: "alice" } })],
  ["a batch of one, null", batch({ 0: null })],
];

describe("the fast path compared with tRPC's own", () => {
  it.each(PLAIN_GETS)("%s: the same status, headers and body", async (_, query) => {
    const { byFastPath, wasFastPath, byTrpc } = await bothAnswers(query);
    expect(wasFastPath).toBe(true);
    expect(byFastPath).toEqual(byTrpc);
  });

  it.each(PLAIN_GETS)("%s, over the quota: the same", async (_, query) => {
    const { byFastPath, wasFastPath, byTrpc } = await bothAnswers(query, { "x-client": "limited" });
    expect(wasFastPath).toBe(true);
    expect(byFastPath).toEqual(byTrpc);
    expect(byFastPath.status).toBe(429);
  });

  it.each<[string, string, Record<string, string>, string?]>([
    ["an empty input", "?input=", {}],
    ["another parameter only", "?x=1", {}],
    ["plus signs for spaces", "?input=%7B%22username%22:+%22alice%22%7D", {}],
    ["an input twice", `${single({ username: "alice" })}&input=${json({ username: "a" })}`, {}],
    ["broken percent-encoding", "?input=%7B%22username%22%3A%22%E0%A4%22%7D", {}],
    ["a batch without input", "?batch=1", {}],
    ["batch=0", `${single({ username: "alice" })}&batch=0`, {}],
    ["batch=true", `${single({ username: "alice" })}&batch=true`, {}],
    ["malformed JSON", "?input={", {}],
    ["malformed JSON in a batch", "?batch=1&input={", {}],
    ["an array for a batch's inputs", batch([{ username: "alice" }]), {}],
    ["null for a batch's inputs", batch(null), {}],
    ["a number for a batch's inputs", batch(7), {}],
    [
      "two calls",
      batch({ 0: { username: "alice" }, 1: { username: "a" } }),
      {},
      "username.check,username.check",
    ],
    ["two kinds of calls", batch({ 0: { username: "alice" } }), {}, "username.check,account.me"],
    ["eleven calls", batch({}), {}, Array(11).fill("username.check").join(",")],
    ["two calls that are no batch", single({}), {}, "username.check,username.check"],
    ["connection parameters", `${single({ username: "alice" })}&connectionParams=%7B%7D`, {}],
    ["a stream wanted by accept", batch({ 0: { username: "alice" } }), { accept: "application/jsonl" }],
    [
      "a stream wanted by trpc-accept",
      batch({ 0: { username: "a" } }),
      { "trpc-accept": "application/jsonl" },
    ],
    ["an unknown procedure", single({}), {}, "username.nothing"],
    ["a percent-encoded path", single({ username: "alice" }), {}, "username%2Echeck"],
    ["no question mark", "", {}],
  ])("%s: served by tRPC", async (_, query, headers, path) => {
    const { byFastPath, wasFastPath, byTrpc } = await bothAnswers(query, headers, path);
    expect(wasFastPath).toBe(false);
    expect(byFastPath).toEqual(byTrpc);
  });

  it.each([
    ["a content type of JSON", { "content-type": "application/json" }],
    ["a content type of a form", { "content-type": "multipart/form-data; boundary=x" }],
    ["a content type of text", { "content-type": "text/plain" }],
    ["accept: text/html", { accept: "text/html" }],
  ])("a GET with %s: the same", async (_, headers) => {
    const { byFastPath, byTrpc } = await bothAnswers(single({ username: "alice" }), headers);
    expect(byFastPath).toEqual(byTrpc);
  });

  it.each([
    ["httpLink", httpLink],
    ["httpBatchLink", httpBatchLink],
  ])("serves the checks of a stock %s", async (_, link) => {
    const { port } = fast.address() as AddressInfo;
    const client = createTRPCClient<AppRouter>({
      links: [link({ url: `http://127.0.0.1:${port}/api/trpc` })],
    });
    const before = servedOnFastPath;
    expect(await client.username.check.query({ username: "alice" })).toEqual({
      status: "available",
      source: "filter",
    });
    expect(servedOnFastPath).toBe(before + 1);
  });

  it("gives each request its own id in errors and hides the thrown error", async () => {
    const { port } = fast.address() as AddressInfo;
    const ask = () =>
      rawRequest(`http://127.0.0.1:${port}/api/trpc/username.check${single({ username: "throws-error" })}`);
    const [first, second] = await Promise.all([ask(), ask()]);
    expect(first.json.error.data.requestId).toMatch(/^request-/);
    expect(first.json.error.data.requestId).not.toBe(second.json.error.data.requestId);
    expect(first.json.error.message).toBe("Internal error");
    expect(first.text).not.toMatch(/SELECT|users_|\/srv|stack/);
  });
});
