import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_LIMITS, RedisLog } from "../orders/redis-log";
import { TcpProxy } from "../testing/server-tcp-proxy";
import { auditRows, StaffFixture } from "../testing/staff";
import { connect } from "../testing/test-redis";
import { waitFor } from "../testing/wait-for";

const reason = "a test";
let fixture: StaffFixture;
let proxy: TcpProxy;
let adele: Record<string, string>;
let boris: Record<string, string>;
let serial = 0;
const nextNumber = () => {
  serial += 1;
  return serial;
};

beforeAll(async () => {
  fixture = await StaffFixture.start({}, async url => {
    proxy = await TcpProxy.start(url);
    return proxy.through(url);
  });
  for (const name of ["adele", "boris"]) await fixture.insert("admin", name);
  const redis = await connect(fixture.redis.url, 5_000);
  await new RedisLog(redis, { log: "orders", limits: NO_LIMITS }).create(4);
  redis.disconnect();
  adele = { cookie: await fixture.cookieOf("adele") };
  boris = { cookie: await fixture.cookieOf("boris") };
});
afterAll(async () => {
  await fixture.stop();
  await proxy.stop();
});

const newKey = () => `key-of-a-test-${nextNumber()}`;
const change = (path: string, input: unknown, key: string, who = adele) =>
  fixture.call(path, input, { ...who, "idempotency-key": key });
const word = () => ({ pattern: `word${nextNumber()}`, kind: "exact", reason });
const okRows = async (target: string) =>
  (await auditRows(fixture.database.pool, `target = '${target}' AND outcome = 'ok'`)).length;
const changesMade = async () => {
  const { rows } = await fixture.database.pool.query(
    "SELECT count(*)::int AS n FROM audit_log WHERE outcome = 'ok'",
  );
  return rows[0].n as number;
};

async function newSymbol(state = "trading"): Promise<string> {
  const symbol = `SYM${nextNumber()}`;
  const data = { symbol, priceDecimals: 2, quantityDecimals: 8, state };
  await fixture.database.prisma.tradedSymbol.create({ data });
  return symbol;
}

async function newUser() {
  return (await fixture.insert("member", `member${nextNumber()}`)).id;
}

async function newDeadEvent(): Promise<string> {
  const id = await newUser();
  const { rows } = await fixture.database.pool.query(
    "UPDATE outbox SET dead_at = now() WHERE aggregateid = $1 RETURNING seq::text",
    [id],
  );
  return rows[0].seq;
}

const automatic = { on: true, expectedVersion: 0, maxFactor: 4, minHotSeconds: 10, maxChangesPerHour: 4 };
const split = { factor: 2, placement: "plain", expectedEpoch: 0 };

/** Valid inputs of changes, each made anew; in this order, since some need what the one before made. */
const CHANGES: Record<string, () => Promise<object>> = {
  "reserved.add": async () => word(),
  "reserved.remove": async () => {
    const data = { ...word(), createdBy: "test" };
    return { id: (await fixture.database.prisma.reservedWord.create({ data })).id, reason };
  },
  "switch.set": async () => ({ action: "outbox.replay", off: false, reason }),
  "user.setRole": async () => ({ id: await newUser(), role: "viewer", version: 0, reason }),
  "user.setDisabled": async () => ({ id: await newUser(), disabled: true, version: 0, reason }),
  "user.revokeSessions": async () => ({ id: await newUser(), reason }),
  "token.revoke": async () => {
    const data = { name: `t${nextNumber()}`, role: "viewer", hash: `h${serial}`, createdBy: "test" };
    return { id: (await fixture.database.prisma.serviceToken.create({ data })).id, reason };
  },
  "symbol.add": async () => ({
    symbol: `NEW${nextNumber()}`,
    priceDecimals: 2,
    quantityDecimals: 8,
    reason,
  }),
  "symbol.halt": async () => ({ symbol: await newSymbol(), expectedVersion: 0, reason }),
  "symbol.resume": async () => ({ symbol: await newSymbol("halted"), expectedVersion: 0, reason }),
  "symbol.split": async () => ({ symbol: await newSymbol(), ...split, reason }),
  "symbol.setAutomatic": async () => ({ symbol: await newSymbol(), ...automatic, reason }),
  "outbox.replay": async () => ({ seqs: [await newDeadEvent()], reason }),
  "filter.schedule": async () => ({ everyHours: 24, reason }),
  "filter.rebuild": async () => ({
    capacity: 50_000,
    errorRate: 0.01,
    engine: "bitmap",
    confirmUnknownRoom: true,
    reason,
  }),
  "filter.cancel": async () => ({ version: 1, reason }),
  "lab.run": async () => ({ choices: ["hash"] }),
  "lab.cancel": async () => {
    const { rows } = await fixture.database.pool.query("SELECT max(id)::text AS id FROM lab_runs");
    return { run: rows[0].id };
  },
  "shards.split": async () => {
    let list: { rows: { shardId: string }[]; version: number } | undefined;
    await waitFor("the shards", async () => {
      list = (await fixture.ask("shards.list", undefined, adele)).json.result?.data;
      return list !== undefined;
    });
    return { shardId: list!.rows[0]!.shardId, expectedVersion: list!.version, reason };
  },
};

describe("a change that is asked for twice with one key", () => {
  it.each(Object.keys(CHANGES))("%s is made once, and answered alike", async path => {
    const [input, key] = [await CHANGES[path]!(), newKey()];
    const before = await changesMade();
    const first = await change(path, input, key);
    expect(first.status, first.text).toBe(200);
    expect(await changesMade()).toBe(before + 1);
    const second = await change(path, input, key);
    expect([second.status, withoutProgress(second.text)]).toEqual([200, withoutProgress(first.text)]);
    expect(await changesMade()).toBe(before + 1);
  });

  it.each(["reserved.add", "symbol.split", "symbol.halt"])("%s at the same time is made once", async path => {
    const [input, key] = [await CHANGES[path]!(), newKey()];
    const before = await changesMade();
    const answers = await Promise.all(Array.from({ length: 5 }, () => change(path, input, key)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await changesMade()).toBe(before + 1);
  });
});

/** A change of shards is answered with its end, its repeat with its beginning: both are true. */
const withoutProgress = (text: string) => text.replace(/"version":\d+,"isComplete":(true|false)/, "");

describe("a key", () => {
  it("that was used for another input or procedure is refused with 409, and nothing is changed", async () => {
    const [first, key] = [word(), newKey()];
    await change("reserved.add", first, key);
    const before = await changesMade();
    for (const [path, input] of [
      ["reserved.add", word()],
      ["reserved.add", { ...first, reason: "another reason" }],
      ["symbol.halt", await CHANGES["symbol.halt"]!()],
    ] as const) {
      const refused = await change(path, input, key);
      expect(refused.status).toBe(409);
      expect(refused.json.error.message).toContain("belongs to another request");
    }
    expect(await changesMade()).toBe(before);
  });

  it("is its caller's own", async () => {
    const key = newKey();
    const [one, another] = [word(), word()];
    expect((await change("reserved.add", one, key)).status).toBe(200);
    expect((await change("reserved.add", another, key, boris)).status).toBe(200);
    expect(await okRows(`reserved:${another.pattern}`)).toBe(1);
  });

  it("of a change that was refused can be used again", async () => {
    const key = newKey();
    const symbol = `LATER${nextNumber()}`;
    const input = { symbol, expectedVersion: 0, reason };
    expect((await change("symbol.halt", input, key)).status).toBe(404);
    await fixture.database.prisma.tradedSymbol.create({
      data: { symbol, priceDecimals: 2, quantityDecimals: 8 },
    });
    expect((await change("symbol.halt", input, key)).status).toBe(200);
  });

  it.each(["short", "x".repeat(129), "with a space", 'a"quote"inside'])(
    "“%s” is refused with 400",
    async key => {
      const refused = await change("reserved.add", word(), key);
      expect([refused.status, refused.json.error.message]).toEqual([
        400,
        expect.stringContaining("Idempotency-Key"),
      ]);
    },
  );

  it("in quotes, as the standard writes it, is the same key", async () => {
    const [input, key] = [word(), newKey()];
    const [plain, quoted] = [
      await change("reserved.add", input, key),
      await change("reserved.add", input, `"${key}"`),
    ];
    expect([quoted.status, quoted.text]).toEqual([200, plain.text]);
  });

  it("counts for a day", async () => {
    const [input, key] = [word(), newKey()];
    await change("reserved.add", input, key);
    await fixture.database.pool.query(
      "UPDATE idempotency_keys SET expires_at = now() - interval '1 s' WHERE key = $1",
      [key],
    );
    expect((await change("reserved.add", input, key)).status).toBe(409);
    const another = word();
    expect((await change("reserved.add", another, key)).status).toBe(200);
  });

  it("does not open a procedure to a caller who lost the permission", async () => {
    await fixture.insert("operator", "once-an-operator");
    const who = { cookie: await fixture.cookieOf("once-an-operator") };
    const [input, key] = [word(), newKey()];
    expect((await change("reserved.add", input, key, who)).status).toBe(200);
    await fixture.database.pool.query("UPDATE users SET role = 'viewer' WHERE username = 'once-an-operator'");
    expect((await change("reserved.add", input, key, who)).status).toBe(403);
  });
});

describe("the repeat of token.create", () => {
  it("replaces the secret that nobody saw", async () => {
    const [input, key] = [{ name: `token${nextNumber()}`, role: "viewer" }, newKey()];
    const [first, second] = [
      await change("token.create", input, key),
      await change("token.create", input, key),
    ];
    const [lost, seen] = [first, second].map(({ json }) => json.result.data);
    expect(seen.id).toBe(lost.id);
    const isValid = async (secret: string) =>
      (await fixture.ask("filter.status", undefined, { authorization: `Bearer ${secret}` })).status === 200;
    expect([await isValid(lost.secret), await isValid(seen.secret)]).toEqual([false, true]);
  });

  it("says that the token was revoked in the meantime", async () => {
    const [input, key] = [{ name: `token${nextNumber()}`, role: "viewer" }, newKey()];
    const { id } = (await change("token.create", input, key)).json.result.data;
    await change("token.revoke", { id, reason }, newKey());
    const refused = await change("token.create", input, key);
    expect([refused.status, refused.json.error.message]).toEqual([409, expect.stringContaining("revoked")]);
  });
});

describe("the answer to COMMIT is lost", () => {
  it.each(["reserved.add", "symbol.split", "user.setRole"])("%s finds out that it was made", async path => {
    const [input, key] = [await CHANGES[path]!(), newKey()];
    const before = await changesMade();
    proxy.loseAnswerTo("COMMIT", key);
    const first = await change(path, input, key);
    expect([first.status, await changesMade()]).toEqual([200, before + 1]);
    expect((await change(path, input, key)).text).toBe(first.text);
    expect(await changesMade()).toBe(before + 1);
  });

  it("and there is no key: the answer is that it is unknown whether the change was made", async () => {
    const input = word();
    proxy.loseAnswerTo("COMMIT", input.pattern);
    const { status, json } = await fixture.call("reserved.add", input, adele);
    expect([status, json.error.message]).toEqual([503, expect.stringContaining("it is unknown whether")]);
    expect(json.error.data.details).toEqual({ outcome: "unknown", retryAfterMs: 2_000 });
    expect(await okRows(`reserved:${input.pattern}`)).toBe(1);
  });

  it("of its INSERT: nothing was made, and the repeat makes it", async () => {
    const [input, key] = [word(), newKey()];
    proxy.loseAnswerTo(input.pattern, input.pattern);
    const { status, json } = await change("reserved.add", input, key);
    expect([status, json.error.data.details.outcome]).toEqual([503, "unknown"]);
    expect(await okRows(`reserved:${input.pattern}`)).toBe(0);
    expect((await change("reserved.add", input, key)).status).toBe(200);
  });
});

it("every mutation is made once per key, but for those that are so by themselves", () => {
  const folder = new URL(".", import.meta.url);
  const sources = readdirSync(folder)
    .filter(name => name.endsWith("-router.ts"))
    .map(name => readFileSync(new URL(name, folder), "utf8"));
  const procedures = sources.flatMap(source => source.split(/\n {2}(?=\w+: )/));
  const others = procedures
    .filter(text => text.includes(".mutation(") && !/\.mutation\(\s*once\(/.test(text))
    .map(text => text.split(":", 1)[0]);
  // An account's order id is its own key; a sign-up is recognised without one; signing out twice is signing out.
  expect(others.sort()).toEqual(["signOut", "signUp", "submit"]);
});
