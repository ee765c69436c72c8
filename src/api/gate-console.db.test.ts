import { type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measureBacklog } from "../outbox/backlog";
import { nextAddress } from "../testing/server-gate";
import { postJson } from "../testing/server-raw-http";
import { auditRows, insertToken, StaffFixture } from "../testing/staff";
import { startTestWorkers } from "../testing/test-gate";
import { waitFor } from "../testing/wait-for";

let fixture: StaffFixture;
let relay: { stop(): Promise<void> };
let cookie: string;

beforeAll(async () => {
  fixture = await StaffFixture.start();
  relay = startTestWorkers({ databaseUrl: fixture.database.url, redisUrl: fixture.redis.url });
  await fixture.insert("operator", "gatekeeper");
  cookie = await fixture.cookieOf("gatekeeper");
  await waitFor("the filter", () => fixture.server.pointer.current !== null);
});
afterAll(async () => {
  await relay.stop();
  await fixture.stop();
});

const ask = async (path: string, input?: unknown) =>
  (await fixture.ask(path, input, { cookie })).json.result.data;

/** The messages of one event stream until `enough` is true. */
function listen(
  lastEventId: string | undefined,
  enough: (messages: Message[]) => boolean,
  { watch, who = { cookie } }: { watch?: object; who?: Record<string, string> } = {},
): Promise<Message[]> {
  return new Promise((resolve, reject) => {
    const messages: Message[] = [];
    let buffer = "";
    const headers = { ...who, "x-forwarded-for": nextAddress(), accept: "text/event-stream" };
    const resumed = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const req = request(
      `${fixture.server.url}/api/trpc/gate.live${watch ? `?input=${encodeURIComponent(JSON.stringify({ watch }))}` : ""}`,
      { headers: { ...headers, ...resumed } },
      res => {
        res.setEncoding("utf8");
        res.on("data", (chunk: string) => {
          buffer += chunk;
          const parts = buffer.split("\n\n");
          buffer = parts.pop()!;
          for (const part of parts) {
            const id = /^id: (.*)$/m.exec(part)?.[1];
            const data = /^data: (.*)$/m.exec(part)?.[1];
            if (id !== undefined && data) messages.push({ id, data: JSON.parse(data) });
          }
          if (!enough(messages)) return;
          req.destroy();
          resolve(messages);
        });
      },
    );
    req.on("error", reject);
    req.end();
  });
}
type Message = {
  id: string;
  data: {
    health: { status: string };
    outbox: { pending: number } | null;
    events: { id: string }[];
    resync: boolean;
    answer: { of: string; data: unknown } | null;
  };
};

describe("the outbox page", () => {
  it("lists dead letters and replays them once, with a reason", async () => {
    const { pool } = fixture.database;
    await pool.query(
      `INSERT INTO outbox (aggregatetype, aggregateid, type, payload)
       VALUES ('username', 'x', 'username.claimed', '{"v": 99}')`,
    );
    await waitFor("the dead letter", async () => (await ask("outbox.status")).dead === 1);
    const { rows, total } = await ask("outbox.deadLetters", { page: 1, pageSize: 10 });
    expect(total).toBe(1);
    expect(rows[0]).toMatchObject({
      type: "username.claimed",
      attempts: 5,
      lastError: expect.stringMatching(/\S/),
    });
    const health = await ask("gate.health");
    expect(health.filter).toMatchObject({ version: 1, errorRate: 0.01 });
    expect(health.problems).toContainEqual(
      expect.objectContaining({ code: "dead_letters", href: "/console/outbox" }),
    );

    await pool.query(`UPDATE outbox SET payload = '{"v": 1, "key": "mended"}' WHERE seq = $1`, [rows[0].seq]);
    const replay = { seqs: [rows[0].seq], reason: "the payload was mended" };
    expect((await fixture.call("outbox.replay", replay, { cookie })).json.result.data).toEqual({
      replayed: 1,
    });
    await waitFor("it to be delivered", async () => (await ask("outbox.status")).pending === 0);
    expect((await fixture.call("outbox.replay", replay, { cookie })).status).toBe(409);
    expect(await auditRows(fixture.database.pool, "action = 'outbox.replay'")).toContainEqual(
      expect.objectContaining({ outcome: "ok", reason: "the payload was mended" }),
    );
  });
});

describe("the name trace", () => {
  it("shows a taken name, its owner, and the answer of every version", async () => {
    await fixture.insert("member", "Traced.One");
    await waitFor("the relay", async () => (await measureBacklog(fixture.database.pool)).pending === 0);
    const trace = await ask("name.trace", { name: "  TRACED.one " });
    expect(trace).toMatchObject({
      verdict: { ok: true },
      key: "traced.one",
      database: { byKey: { username: "Traced.One" } },
      versions: [{ version: 1, state: "active", shardState: "sealed", answer: "maybe" }],
      outbox: [{ type: "username.claimed", state: "delivered" }],
    });
    expect(trace.conclusion).toMatch(/belongs to Traced\.One/);
  });

  it.each([
    ["a free name", "free.name", /is free/],
    ["a reserved one", "admin", /reserved/],
    ["an impossible one", "a b", /policy refuses/],
    ["a lookalike", "traced.0ne", /looks too much like Traced\.One/],
    ["NUL and half an emoji", "x\0\ud83d", /policy refuses/],
  ])("concludes about %s", async (_, name, conclusion) => {
    expect((await ask("name.trace", { name })).conclusion).toMatch(conclusion);
  });

  it("shows a taken name that is missing in the filter", async () => {
    const trace = await ask("name.trace", { name: "traced.one" });
    await relay.stop();
    await fixture.redis.ask("FLUSHALL");
    const after = await ask("name.trace", { name: "traced.one" });
    expect(trace.versions[0].answer).toBe("maybe");
    expect(after.versions[0]).toMatchObject({ shardState: "missing", answer: "unsealed" });
    relay = startTestWorkers({ databaseUrl: fixture.database.url, redisUrl: fixture.redis.url });
    await waitFor("the repair", async () => {
      const { versions } = await ask("name.trace", { name: "traced.one" });
      return versions[0].answer === "maybe";
    });
  });
});

/** A service token that may view the gate and nothing else. */
async function gateTokenHeaders(name: string) {
  const secret = await insertToken(fixture.database.prisma, { name, scopes: ["gate.view"] });
  return { authorization: `Bearer ${secret}` };
}

describe("the live stream", () => {
  const change = async (pattern: string) => {
    const word = { pattern, kind: "exact", reason: "a test" };
    expect((await fixture.call("reserved.add", word, { cookie })).status).toBe(200);
  };

  it("carries each change once, also to a console that reconnects", async () => {
    const [first] = await listen(undefined, messages => messages.length >= 1);
    expect(first!.data.health.status).toMatch(/ok|degraded/);
    for (const pattern of ["live1", "live2", "live3"]) await change(pattern);
    const caughtUp = (messages: Message[]) => messages.flatMap(message => message.data.events).length >= 3;
    const resumed = await listen(first!.id, caughtUp);
    const ids = resumed.flatMap(message => message.data.events.map(event => event.id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual([...ids].sort((a, b) => Number(a) - Number(b)));
    const later = await listen(resumed.at(-1)!.id, messages => messages.length >= 2);
    expect(later.flatMap(message => message.data.events)).toEqual([]);
  });

  it("requests a resync when too many changes were missed", async () => {
    const { pool } = fixture.database;
    await pool.query(
      `INSERT INTO audit_log (actor_kind, actor_name, action, outcome)
       SELECT 'system', 'test', 'test.many', 'ok' FROM generate_series(1, 150)`,
    );
    const [message] = await listen("1", messages => messages.length >= 1);
    expect(message!.data).toMatchObject({ resync: true, events: [] });
  });

  it("carries the outbox and the changes only to callers who may view them", async () => {
    const two = (messages: Message[]) => messages.length >= 2;
    const [{ id }] = (await listen(undefined, two)) as [Message];
    await change("live4");
    const changed = expect.arrayContaining([expect.objectContaining({ target: "reserved:live4" })]);
    const [mine] = (await listen(id, two)) as [Message];
    expect(mine.data).toMatchObject({ outbox: { pending: expect.any(Number) }, events: changed });
    const who = await gateTokenHeaders("gate only, no outbox");
    const [theirs] = (await listen(id, two, { who })) as [Message];
    expect(theirs.data).toMatchObject({ health: expect.anything(), outbox: null, events: [] });
    await fixture.insert("trader", "tradesman");
    const trader = { cookie: await fixture.cookieOf("tradesman") };
    const [traded] = (await listen(id, two, { who: trader })) as [Message];
    expect(traded.data).toMatchObject({ outbox: null, events: changed });
  });

  it("carries the answer of the watched query to callers who may view it", async () => {
    const two = (messages: Message[]) => messages.length >= 2;
    const [message] = await listen(undefined, two, { watch: { of: "lab.status" } });
    expect(message!.data.answer).toEqual({ of: "lab.status", data: { current: null, runs: [] } });
    // There is no log here: the query itself answers with the reason.
    const [without] = await listen(undefined, two, { watch: { of: "symbol.page", input: {} } });
    expect(without!.data.answer).toBeNull();
    expect((await listen(undefined, two))[0]!.data.answer).toBeNull();
    const who = await gateTokenHeaders("gate only");
    expect((await listen(undefined, two, { watch: { of: "lab.status" }, who }))[0]!.data.answer).toBeNull();
    const unknown = await fixture.ask("gate.live", { watch: { of: "user.list" } }, { cookie });
    expect(unknown.text).toMatch(/BAD_REQUEST/);
  });

  it("refuses a malformed cursor", async () => {
    const answer = await fixture.ask("gate.live", { lastEventId: "1; DROP" }, { cookie });
    expect(answer.text).toMatch(/BAD_REQUEST/);
  });

  describe("ends long before its minute is over", () => {
    /** Opens a stream, makes the change, and resolves to the text that came after it. */
    async function endOf(who: Record<string, string>, change: () => Promise<unknown>): Promise<string> {
      const headers = { ...who, "x-forwarded-for": nextAddress(), accept: "text/event-stream" };
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request(`${fixture.server.url}/api/trpc/gate.live`, { headers, agent: false }, resolve)
          .on("error", reject)
          .end();
      });
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      await waitFor("the first message", () => text.includes("\nid: "));
      await change();
      await waitFor("the end of the stream", () => answer.readableEnded);
      return text;
    }

    const TROUBLE = /event: (return|serialized-error)/;
    const sql = (text: string, value: string) => fixture.database.pool.query(text, [value]);

    it.each([
      ["a demotion", "UPDATE users SET role = 'member' WHERE username_key = $1"],
      ["a change of role", "UPDATE users SET role = 'admin' WHERE username_key = $1"],
      ["a disabled account", "UPDATE users SET disabled_at = now() WHERE username_key = $1"],
      ["revoked sessions", "DELETE FROM sessions USING users u WHERE user_id = u.id AND username_key = $1"],
      [
        "a session that expires",
        "UPDATE sessions SET expires_at = now() FROM users u WHERE user_id = u.id AND username_key = $1",
      ],
    ])("by %s, in a way that makes clients ask again", async (what, text) => {
      const name = what.replaceAll(" ", "-");
      await fixture.insert("operator", name);
      const who = { cookie: await fixture.cookieOf(name) };
      expect(await endOf(who, () => sql(text, name))).not.toMatch(TROUBLE);
    });

    it("by a sign-out", async () => {
      await fixture.insert("viewer", "leaver");
      const who = { cookie: await fixture.cookieOf("leaver") };
      const signOut = () =>
        postJson(
          `${fixture.server.url}/api/auth/sign-out`,
          {},
          Object.assign({ origin: fixture.server.url }, who),
        );
      expect(await endOf(who, signOut)).not.toMatch(TROUBLE);
    });

    it("by a revoked token, and by one that has lost a scope", async () => {
      for (const text of [
        "UPDATE service_tokens SET revoked_at = now() WHERE name = $1",
        "UPDATE service_tokens SET scopes = '{outbox.view}' WHERE name = $1",
      ]) {
        const who = await gateTokenHeaders(text.slice(0, 60));
        expect(await endOf(who, () => sql(text, text.slice(0, 60)))).not.toMatch(TROUBLE);
      }
    });
  });

  it("is open at most 20 times for one user, and a closed stream frees its place", async () => {
    const answers: IncomingMessage[] = [];
    const open = () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { cookie, "x-forwarded-for": nextAddress(), accept: "text/event-stream" };
        request(`${fixture.server.url}/api/trpc/gate.live`, { headers, agent: false }, resolve)
          .on("error", reject)
          .end();
      });
    try {
      for (let n = 0; n < 20; n += 1) answers.push(await open());
      expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
      const refused = await fixture.ask("gate.live", undefined, { cookie });
      expect(refused.text).toMatch(/TOO_MANY_REQUESTS.*|Close some of them/);
      answers.pop()!.destroy();
      await waitFor("a place", async () => {
        const answer = await open();
        answers.push(answer);
        return answer.headers["content-type"] === "text/event-stream" && answers.length > 0;
      });
    } finally {
      for (const answer of answers) answer.destroy();
    }
  });
});
