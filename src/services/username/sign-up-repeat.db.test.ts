import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPerson, nextAddress, type Person, TestGate } from "../../testing/server-gate";
import { postJson } from "../../testing/server-raw-http";
import { TcpProxy } from "../../testing/server-tcp-proxy";
import { metricOf } from "../../testing/test-gate";

let gate: TestGate;
let proxy: TcpProxy;

beforeAll(async () => {
  gate = await TestGate.start({
    serverUrls: async real => {
      proxy = await TcpProxy.start(real.databaseUrl);
      return { ...real, databaseUrl: proxy.through(real.databaseUrl) };
    },
  });
});
afterAll(async () => {
  await gate.stop();
  await proxy.stop();
});

const signUp = (person: Person, headers: Record<string, string> = {}) =>
  postJson(`${gate.server.url}/api/trpc/account.signUp`, person, {
    "x-forwarded-for": nextAddress(),
    ...headers,
  });
const madeFor = ({ email }: Person) => gate.count("users", `email = '${email}'`);
const age = (person: Person, interval: string) =>
  gate.database.pool.query("UPDATE users SET created_at = now() - $2::interval WHERE email = $1", [
    person.email,
    interval,
  ]);

describe("the same sign-up again, after a lost answer", () => {
  it.each([
    ["the event has reached the filter", true],
    ["the event is on its way", false],
  ])("signs in, and makes nothing: %s", async (_, isDelivered) => {
    const person = newPerson(`repeat-${isDelivered}`);
    const first = await signUp(person);
    if (isDelivered) await gate.delivered();
    const second = await signUp(person);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(second.headers["set-cookie"]).toBeDefined();
    expect([await madeFor(person), await gate.count("outbox", "true")]).toEqual([
      1,
      await gate.count("users"),
    ]);
    expect(await metricOf(gate.server.registry, "signups_total", { outcome: "repeated" })).toBeGreaterThan(0);
  });

  it("is recognised in another spelling of name and address", async () => {
    const person = newPerson("spelled.out");
    await signUp(person);
    const again = await signUp({ ...person, username: " Spelled.OUT ", email: person.email.toUpperCase() });
    expect(again.json.result.data).toEqual({ username: "spelled.out", signedIn: true });
  });

  it.each([
    ["password", { password: "another horse battery staple" }],
    ["address", { email: "somebody.else@example.com" }],
  ])("is refused with another %s", async (field, other) => {
    const person = newPerson(`other-${field}`);
    await signUp(person);
    const refused = await signUp({ ...person, ...other });
    expect(refused.status).toBe(409);
    expect(refused.headers["set-cookie"]).toBeUndefined();
  });

  it("is refused after an hour, and for an account that was disabled", async () => {
    const [old, disabled] = [newPerson("an-hour-ago"), newPerson("disabled-since")];
    await signUp(old);
    await signUp(disabled);
    await age(old, "61 minutes");
    await gate.database.pool.query("UPDATE users SET disabled_at = now() WHERE email = $1", [disabled.email]);
    for (const person of [old, disabled]) {
      const refused = await signUp(person);
      expect([refused.status, refused.headers["set-cookie"]]).toEqual([409, undefined]);
    }
  });

  it("five times at once: one account, and everybody is signed in", async () => {
    const person = newPerson("impatient");
    const answers = await Promise.all(Array.from({ length: 5 }, () => signUp(person)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await madeFor(person)).toBe(1);
  });
});

describe("a sign-up with an idempotency key", () => {
  it("is recognised for a day", async () => {
    const [person, key] = [newPerson("keyed"), { "idempotency-key": "a-key-of-a-form-1" }];
    await signUp(person, key);
    await age(person, "23 hours");
    expect((await signUp(person, key)).status).toBe(200);
    expect((await signUp(person)).status).toBe(409);
    expect((await signUp({ ...person, password: "another horse battery staple" }, key)).status).toBe(409);
    expect(await madeFor(person)).toBe(1);
  });

  it.each([
    ["name", { username: "keyed-otherwise" }],
    ["address", { email: "keyed.otherwise@example.com" }],
  ])("that belongs to another %s is refused with 409, and nothing is made", async (field, other) => {
    const [person, key] = [newPerson(`key-${field}`), { "idempotency-key": `a-key-of-a-form-${field}` }];
    await signUp(person, key);
    const before = await gate.count("users");
    const refused = await signUp({ ...newPerson(`key-2-${field}`), ...other }, key);
    expect([refused.status, refused.json.error.message]).toEqual([
      409,
      expect.stringContaining("belongs to another request"),
    ]);
    expect(await gate.count("users")).toBe(before);
  });

  it("five times at once: one account, and everybody is signed in", async () => {
    const [person, key] = [newPerson("keyed-impatient"), { "idempotency-key": "a-key-of-a-form-5" }];
    const answers = await Promise.all(Array.from({ length: 5 }, () => signUp(person, key)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await madeFor(person)).toBe(1);
  });
});

describe("the database's answer is lost", () => {
  it.each([
    ["with a key", { "idempotency-key": "a-key-of-a-form-c" }],
    ["without one", {}],
  ])("%s: the sign-up finds out that the account was made", async (how, headers) => {
    const person = newPerson(`lost-${how.replaceAll(" ", "-")}`);
    proxy.loseAnswerTo("INSERT", person.email);
    const answer = await signUp(person, headers);
    expect([answer.status, answer.headers["set-cookie"]]).toEqual([200, expect.anything()]);
    expect(await madeFor(person)).toBe(1);
  });

  it("before the account was made: that is unknown, and the repeat makes it", async () => {
    const person = newPerson("lost-before");
    await gate.database.pool.query(`
      CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
      CREATE TRIGGER end_session BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION end_session()`);
    const lost = await signUp(person);
    expect([lost.status, lost.json.error.data.details.outcome]).toEqual([503, "unknown"]);
    await gate.database.pool.query("DROP FUNCTION end_session() CASCADE");
    expect(await madeFor(person)).toBe(0);
    expect((await signUp(person)).status).toBe(200);
  });
});
