import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failureOf, newPerson, nextAddress, TestGate } from "../../testing/server-gate";
import { TcpProxy } from "../../testing/server-tcp-proxy";
import { WireLog } from "../../testing/server-wire-log";
import { insertUserBySql } from "../../testing/test-database";
import { apiClient, metricOf, startTestServer } from "../../testing/test-gate";
import { waitFor } from "../../testing/wait-for";

let gate: TestGate;
let proxy: TcpProxy;
const wire = new WireLog();

beforeAll(async () => {
  gate = await TestGate.start({
    server: { SIGNUP_MAX_WAIT_MS: 60_000 },
    serverUrls: async real => {
      proxy = await TcpProxy.start(real.databaseUrl, { onClientData: wire.take });
      return { ...real, databaseUrl: proxy.through(real.databaseUrl) };
    },
  });
});

afterAll(async () => {
  await gate.stop();
  await proxy.stop();
});

const metric = (name: string, labels?: Record<string, string>) =>
  metricOf(gate.server.registry, name, labels);

/** Signs all of them up at once, each from its own address. */
async function race(usernames: string[]) {
  const outcomes = await Promise.allSettled(usernames.map(username => gate.signUp(newPerson(username))));
  const failures = await Promise.all(
    outcomes.flatMap(outcome =>
      outcome.status === "rejected" ? [failureOf(Promise.reject(outcome.reason))] : [],
    ),
  );
  return { created: outcomes.filter(outcome => outcome.status === "fulfilled").length, failures };
}

/** A user whose event is marked as delivered and whose name is not in the filter: a lost bit. */
async function loseDelivery(key: string) {
  const { pool } = gate.database;
  await insertUserBySql(pool, key);
  await pool.query("UPDATE users SET updated_at = now() - interval '1 minute' WHERE username_key = $1", [
    key,
  ]);
  await pool.query("UPDATE outbox SET processed_at = now() WHERE processed_at IS NULL");
}

async function busyBackends(): Promise<number> {
  const { rows } = await gate.database.pool.query(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'floodgate server' AND state <> 'idle'`,
  );
  return rows[0].count;
}

async function expectOneWinner(
  { created, failures }: Awaited<ReturnType<typeof race>>,
  { key, asked }: { key: string; asked: number },
) {
  expect(created).toBe(1);
  const kinds = new Set(failures.map(({ code, details }) => `${code} ${details.field} ${details.rule}`));
  expect(kinds).toEqual(new Set(["CONFLICT username taken"]));
  expect(failures).toHaveLength(asked - 1);
  for (const failure of failures) {
    expect(failure.message).toMatch(/^The username \S+ is taken\.$/);
    expect(failure.details.suggestions).toHaveLength(3);
  }
  const suggestions = [...new Set(failures.flatMap(failure => failure.details.suggestions!))];
  // Sequentially: a burst of hundreds may be shed as busy.
  const notFree: string[] = [];
  for (const name of suggestions) if ((await gate.check(name)).status !== "available") notFree.push(name);
  expect(notFree).toEqual([]);
  expect(await gate.count("users", `username_key = '${key}'`)).toBe(1);
  expect(await gate.count("accounts", `user_id = (SELECT id FROM users WHERE username_key = '${key}')`)).toBe(
    1,
  );
}

describe("many signups for one name at once", () => {
  it("200 of them: one account, 199 conflicts with free suggestions, no other outcome", async () => {
    await gate.stopRelay();
    const result = await race(Array.from({ length: 200 }, () => "frank"));
    await expectOneWinner(result, { key: "frank", asked: 200 });
    expect(await gate.count("outbox", `payload->>'key' = 'frank'`)).toBe(1);
    expect(await metric("signups_total", { outcome: "error" })).toBe(0);
    expect(await metric("signups_total", { outcome: "created" })).toBe(1);
  });

  it("in different spellings: one account", async () => {
    const spellings = ["Fred", " fred", "FRED", "fred ", "\uff26red"];
    const result = await race(Array.from({ length: 40 }, (_, n) => spellings[n % spellings.length]!));
    await expectOneWinner(result, { key: "fred", asked: 40 });
    expect(await gate.count("outbox", `payload->>'key' = 'fred'`)).toBe(1);
  });

  it("while a relay delivers: a lost race is not a false negative and writes no second event", async () => {
    gate.startRelay();
    await gate.delivered();
    const before = await metric("bloom_false_negative_total");
    const result = await race(Array.from({ length: 100 }, () => "fiona"));
    await expectOneWinner(result, { key: "fiona", asked: 100 });
    await gate.delivered();
    expect(await gate.count("outbox", `payload->>'key' = 'fiona'`)).toBe(1);
    expect(await metric("bloom_false_negative_total")).toBe(before);
  });

  it("30 with one e-mail address and free names: one account, the others get a conflict on the address", async () => {
    const email = "shared@example.com";
    const calls = Array.from({ length: 30 }, (_, n) => gate.signUp(newPerson(`shared${n}`, { email })));
    const outcomes = await Promise.allSettled(calls);
    const refused = outcomes.filter(outcome => outcome.status === "rejected");
    expect(refused).toHaveLength(29);
    for (const { reason } of refused) {
      expect(await failureOf(Promise.reject(reason))).toMatchObject({
        code: "CONFLICT",
        details: { field: "email" },
      });
    }
    expect(await gate.count("users", `email = '${email}'`)).toBe(1);
    // A failed signup leaves no rows.
    expect(await gate.count("outbox", `payload->>'key' LIKE 'shared%'`)).toBe(1);
  });

  it("look-alikes of each other: one account", async () => {
    const result = await race(["modern", "m0dern", "modern", "m0dern"]);
    expect(result.created).toBe(1);
    expect(new Set(result.failures.map(failure => `${failure.code} ${failure.details.field}`))).toEqual(
      new Set(["CONFLICT username"]),
    );
    expect(await gate.count("users", "username_skeleton = 'modern'")).toBe(1);
  });
});

describe("a name that the filter has lost", () => {
  beforeEach(() => gate.startRelay());
  afterAll(() => gate.startRelay());

  it("is refused by the UNIQUE index, counted, and added to the filter again", async () => {
    await gate.delivered();
    await gate.stopRelay();
    await loseDelivery("lost-name");
    expect(await gate.check("lost-name")).toEqual({ status: "available", source: "filter" });

    const before = await metric("bloom_false_negative_total");
    const failure = await failureOf(gate.signUp(newPerson("Lost-Name")));
    expect(failure).toMatchObject({ code: "CONFLICT", details: { field: "username", rule: "taken" } });
    expect(await metric("bloom_false_negative_total")).toBe(before + 1);
    await waitFor("the redelivery", async () => (await gate.pendingEvents()) === 1);
    expect(await gate.count("users", "username_key = 'lost-name'")).toBe(1);

    gate.startRelay();
    await gate.delivered();
    expect(await gate.check("lost-name")).toEqual({ status: "taken", source: "database" });
  });

  it("requests one redelivery, also when it is found several times", async () => {
    await gate.delivered();
    await gate.stopRelay();
    await loseDelivery("lost-again");
    await failureOf(gate.signUp(newPerson("lost-again")));
    await waitFor("the redelivery", async () => (await gate.pendingEvents()) === 1);
    for (let n = 0; n < 5; n += 1) await failureOf(gate.signUp(newPerson("lost-again")));
    // When the backends are idle, Postgres has answered all of them.
    await waitFor("idle backends", async () => (await busyBackends()) === 0);
    expect(await gate.pendingEvents()).toBe(1);
  });
});

describe("the queries of a signup", () => {
  it("after absent: the INSERT, without a query of users before it", async () => {
    await gate.delivered();
    wire.clear();
    await gate.signUp(newPerson("straight-in"));
    const aboutUsers = wire.statements.filter(sql => /\busers\b/.test(sql));
    expect(aboutUsers[0]).toMatch(/^\s*WITH made AS \(\s*INSERT INTO users\b/);
  });

  it("after maybe: one query first, and no hash or INSERT for a taken name", async () => {
    await gate.delivered();
    wire.clear();
    await failureOf(gate.signUp(newPerson("straight-in")));
    const aboutUsers = wire.statements.filter(sql => /\busers\b/.test(sql));
    expect(aboutUsers[0]).toMatch(/^SELECT\b.*\busername_key\b.*\busername_skeleton\b/s);
    expect(aboutUsers.some(sql => sql.startsWith("INSERT"))).toBe(false);
  });

  it("a check that the filter answers sends none", async () => {
    await gate.delivered();
    wire.clear();
    for (let n = 0; n < 20; n += 1) {
      expect(await gate.check(`unheard-of-${n}`)).toMatchObject({ status: "available" });
    }
    const asked = wire.statements.filter(sql => /\busers\b/.test(sql)).length;
    // A false positive may ask once; the filter is nearly empty.
    expect(asked).toBeLessThanOrEqual(1);
  });
});

describe("a small pool while Redis hangs", () => {
  it("finishes 20 concurrent signups on 5 connections", async () => {
    const server = await startTestServer(gate.urls, { DATABASE_POOL: 5 });
    try {
      await waitFor("its filter", () => server.pointer.current !== null);
      gate.redis.pause();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) =>
          apiClient(server.url, { address: nextAddress() }).account.signUp.mutate(newPerson(`crowd${n}`)),
        ),
      );
      expect(outcomes.filter(outcome => outcome.status === "rejected")).toEqual([]);
      expect(await gate.count("users", "username_key LIKE 'crowd%'")).toBe(20);
    } finally {
      gate.redis.resume();
      await server.stop();
    }
  });
});
