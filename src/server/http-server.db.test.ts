import { Agent } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failureOf, newPerson, nextAddress, TestGate } from "../testing/server-gate";
import { postJson, rawRequest } from "../testing/server-raw-http";

let gate: TestGate;
let api: string;

beforeAll(async () => {
  gate = await TestGate.start();
  api = `${gate.server.url}/api/trpc`;
});

afterAll(() => gate.stop());

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));

/** A GET with `count` checks in one batch. */
function batchOfChecks(
  count: number,
  headers: Record<string, string> = { "x-forwarded-for": nextAddress() },
) {
  const paths = Array(count).fill("username.check").join(",");
  const input = Object.fromEntries(Array.from({ length: count }, (_, n) => [n, { username: `batch${n}` }]));
  // Inputs of 500 calls exceed the URL length that Node reads.
  const query = count > 50 ? "" : `&input=${json(input)}`;
  return rawRequest(`${api}/${paths}?batch=1${query}`, { headers });
}

describe("stock clients", () => {
  it.each([
    ["httpLink", false],
    ["httpBatchLink", true],
  ])("%s: checks, signs up and reads errors", async (_, batch) => {
    const client = gate.client({ batch });
    const name = batch ? "by-batch" : "by-single";
    expect(await client.username.check.query({ username: name })).toMatchObject({ status: "available" });
    expect(await client.account.signUp.mutate(newPerson(name))).toEqual({ username: name, signedIn: true });
    expect(await failureOf(client.account.signUp.mutate(newPerson(name)))).toMatchObject({
      code: "CONFLICT",
    });
    expect(await client.account.me.query()).toBeNull();
    expect(await client.account.signOut.mutate()).toEqual({ ok: true });
  });

  it("httpBatchLink: ten calls of one tick go in one batch and their answers come in order", async () => {
    const client = gate.client();
    const names = ["a", "admin", "free-one", "bob\0", "free-two", "b", "root", "x y", "free-three", "c"];
    const answers = await Promise.all(names.map(username => client.username.check.query({ username })));
    expect(answers.map(answer => answer.status)).toEqual([
      "invalid",
      "reserved",
      "available",
      "invalid",
      "available",
      "invalid",
      "reserved",
      "invalid",
      "available",
      "invalid",
    ]);
  });
});

describe("batches", () => {
  it("answers ten calls", async () => {
    const answer = await batchOfChecks(10);
    expect(answer.status).toBe(200);
    expect(answer.json).toHaveLength(10);
  });

  it.each([11, 50, 500])("refuses a batch of %i calls as a whole and charges nothing", async count => {
    const headers = { "x-forwarded-for": nextAddress() };
    const answer = await batchOfChecks(count, headers);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("Too many calls in one batch.");
    expect(answer.text).not.toMatch(/stack|maximum size/);
    expect((await batchOfChecks(10, headers)).status).toBe(200);
  });

  it("refuses 500 signups in one POST", async () => {
    const paths = Array(500).fill("account.signUp").join(",");
    const answer = await postJson(`${api}/${paths}?batch=1`, { 0: newPerson("first-of-many") });
    expect(answer.status).toBe(400);
    expect(await gate.count("users", "username_key = 'first-of-many'")).toBe(0);
  });

  it("charges each call of a batch", async () => {
    const headers = { "x-forwarded-for": nextAddress() };
    for (let n = 0; n < 6; n += 1) expect((await batchOfChecks(10, headers)).status).toBe(200);
    const over = await batchOfChecks(10, headers);
    expect(over.status).toBe(429);
    for (const { error } of over.json) expect(error.data.code).toBe("TOO_MANY_REQUESTS");
  });
});

describe("bodies", () => {
  const bodyOf = (bytes: number) => JSON.stringify({ username: "x", filler: "a".repeat(bytes) });

  it.each([65 * 1024, 1024 * 1024, 5 * 1024 * 1024])(
    "of %i bytes are refused with 413, and the next request is served",
    async bytes => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      try {
        const headers = { "content-type": "application/json", "x-forwarded-for": nextAddress() };
        const answer = await rawRequest(`${api}/account.signUp`, {
          method: "POST",
          headers,
          body: bodyOf(bytes),
          agent,
        });
        expect(answer.status).toBe(413);
        expect(answer.text).toContain("The request is too large.");
        const next = await rawRequest(`${api}/account.me`, { agent });
        expect([next.status, next.json]).toEqual([200, { result: { data: null } }]);
      } finally {
        agent.destroy();
      }
    },
  );

  it("without a length are measured while they are read", async () => {
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    const answer = await rawRequest(`${api}/account.signUp`, {
      method: "POST",
      headers,
      body: bodyOf(200_000),
    });
    expect(answer.status).toBe(413);
  });

  it("of 60 KB are read", async () => {
    const answer = await postJson(
      `${api}/account.signUp`,
      { filler: "a".repeat(60_000) },
      {
        "x-forwarded-for": nextAddress(),
      },
    );
    expect(answer.status).toBe(400);
  });
});

describe("malformed requests", () => {
  const cases: [string, () => ReturnType<typeof rawRequest>, number, string | RegExp][] = [
    ["an unknown procedure", () => rawRequest(`${api}/username.nothing`), 404, "There is no such procedure."],
    [
      "a procedure of Object's",
      () => rawRequest(`${api}/constructor.prototype`),
      404,
      "There is no such procedure.",
    ],
    ["no procedure", () => rawRequest(`${api}/`), 404, "There is no such procedure."],
    [
      "a mutation by GET",
      () => rawRequest(`${api}/account.signOut`),
      405,
      /does not accept this HTTP method/,
    ],
    [
      "a query by POST",
      () => postJson(`${api}/username.check`, { username: "alice" }),
      405,
      /does not accept this HTTP method/,
    ],
    [
      "PUT",
      () =>
        rawRequest(`${api}/account.signOut`, {
          method: "PUT",
          headers: { "content-type": "application/json" },
        }),
      405,
      /does not accept this HTTP method/,
    ],
    [
      "malformed JSON in a URL",
      () => rawRequest(`${api}/username.check?input={`),
      400,
      /could not be understood|not valid JSON/,
    ],
    [
      "malformed JSON in a body",
      () =>
        rawRequest(`${api}/account.signUp`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: '{"username":',
        }),
      400,
      /could not be understood|not valid JSON/,
    ],
    [
      "a malformed batch",
      () => rawRequest(`${api}/username.check?batch=1&input=7`),
      400,
      /could not be understood/,
    ],
    [
      "broken percent-encoding",
      () => rawRequest(`${api}/username%E0%A4?x=1`),
      400,
      /could not be understood/,
    ],
    [
      "a form",
      () =>
        rawRequest(`${api}/account.signUp`, {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: "username=alice",
        }),
      415,
      "Send application/json.",
    ],
  ];

  it.each(cases)("%s", async (_, ask, status, message) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(message);
    expect(answer.text).not.toMatch(/stack|node_modules|\bat .*\.[jt]s|trpc\/server/);
    expect(answer.headers["cache-control"]).toBe("no-store");
  });

  it.each([
    ...cases,
    ["too large a batch", () => batchOfChecks(11), 400, ""] as (typeof cases)[number],
    [
      "a request of another site",
      () => postJson(`${api}/account.signOut`, undefined, { origin: "https://evil.example" }),
      403,
      "",
    ] as (typeof cases)[number],
  ])("%s: the answer has a request id", async (_, ask) => {
    const answer = await ask();
    expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("answers have their own request id and are not cacheable", async () => {
    const ids = new Set<unknown>();
    for (const path of ["account.me", `username.check?input=${json({ username: "alice" })}`, "account.me"]) {
      const answer = await rawRequest(`${api}/${path}`);
      expect(answer.status).toBe(200);
      expect(answer.headers["cache-control"]).toBe("no-store");
      ids.add(answer.headers["x-request-id"]);
    }
    expect(ids.size).toBe(3);
    expect(ids.has(undefined)).toBe(false);
  });
});
