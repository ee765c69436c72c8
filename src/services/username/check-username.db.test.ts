import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { GateHealth } from "../../api/context";
import { shardOf } from "../../filter/layout";
import { FILTER_POINTER_KEY, filterKey } from "../../store/redis-keys";
import { failureOf, nameInShardOf, newPerson, TestGate } from "../../testing/server-gate";
import { rawRequest } from "../../testing/server-raw-http";
import { insertUsersBySql } from "../../testing/test-database";
import { metricOf } from "../../testing/test-gate";
import { waitFor } from "../../testing/wait-for";

const TAKEN = "alice";
/** A free name in the shard of `alice`. */
const FREE = nameInShardOf(TAKEN);
const SHARD = shardOf(TAKEN);

let gate: TestGate;

beforeAll(async () => {
  gate = await TestGate.start();
  await gate.signUp(newPerson(TAKEN));
  await insertUsersBySql(gate.database.pool, "imported", 2_000);
  await gate.delivered();
});

afterAll(() => gate.stop());

const shardKey = () => filterKey(SHARD, gate.server.pointer.current!.version);
const fallbacks = (reason: string) => metricOf(gate.server.registry, "db_fallback_total", { reason });
const health = async () => (await rawRequest(`${gate.server.url}/healthz`)).json as GateHealth;

describe("the answers", () => {
  it("available, from the filter alone", async () => {
    expect(await gate.check(FREE)).toEqual({ status: "available", source: "filter" });
  });

  it("taken, from the database", async () => {
    expect(await gate.check("ALICE")).toEqual({ status: "taken", source: "database" });
  });

  it("invalid, with the rule and a message", async () => {
    expect(await gate.check("a")).toEqual({
      status: "invalid",
      rule: "too-short",
      message: "Use at least 3 characters.",
    });
  });

  it("reserved, also for look-alikes and padded spellings", async () => {
    for (const name of [
      "admin",
      "Admin ",
      "adrnin",
      "adm1n",
      "ad-min",
      "official_support",
      "support-team",
      "5taff",
      "\u1d00\u1d05\u1d0d\u026a\u0274",
      "my-floodgate",
      "robots.txt",
    ]) {
      expect(await gate.check(name)).toMatchObject({ status: "reserved" });
    }
  });

  it.each([
    ["modem", "modern"],
    ["stem01", "stern01"],
    ["co1m", "co1rn"],
  ])("lets %s and %s be two names", async (one, other) => {
    await gate.signUp(newPerson(one));
    await gate.delivered();
    expect(await gate.check(other)).toMatchObject({ status: "available" });
    expect(await gate.signUp(newPerson(other))).toMatchObject({ username: other });
  });

  it.each([
    ["paypal", "paypa1"],
    ["g00gle", "google"],
    ["b0b0", "bob0"],
    ["sc0pe", "\u0455\u0441\u043e\u0440\u0435"], // all Cyrillic
    ["\u0430\u0440\u0440\u04cf\u0435", "apple"], // all Cyrillic
  ])("taken for a lookalike, as the sign-up says: %s, %s", async (taken, lookalike) => {
    expect((await gate.check(lookalike)).status).toBe("available");
    await gate.signUp(newPerson(taken));
    await gate.delivered();
    expect(await gate.check(lookalike)).toEqual({ status: "taken", source: "database" });
    expect(await failureOf(gate.signUp(newPerson(lookalike)))).toMatchObject({
      code: "CONFLICT",
      details: { rule: "lookalike" },
    });
  });

  it("taken for a name with the longest skeleton, which has 672 bytes", async () => {
    const longest = "\uaf66".repeat(32);
    await gate.signUp(newPerson(longest));
    await gate.delivered();
    expect(await gate.count("outbox", "dead_at IS NOT NULL OR last_error IS NOT NULL")).toBe(0);
    expect(await gate.check(longest)).toEqual({ status: "taken", source: "database" });
  });

  it("never says available for any of 2,000 imported names", async () => {
    const answers = new Map<string, number>();
    for (let from = 0; from < 2_000; from += 10) {
      const names = Array.from({ length: 10 }, (_, n) => `imported${from + n}`);
      for (const { status } of await Promise.all(names.map(name => gate.check(name)))) {
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
    }
    expect([...answers]).toEqual([["taken", 2_000]]);
  });

  it("counts answers, look-ups and fallbacks in the metrics", async () => {
    const { registry } = gate.server;
    const before = await Promise.all([
      metricOf(registry, "username_checks_total", { status: "taken" }),
      metricOf(registry, "bloom_lookups_total", { answer: "maybe" }),
      fallbacks("maybe"),
    ]);
    expect(await gate.check(TAKEN)).toEqual({ status: "taken", source: "database" });
    const after = await Promise.all([
      metricOf(registry, "username_checks_total", { status: "taken" }),
      metricOf(registry, "bloom_lookups_total", { answer: "maybe" }),
      fallbacks("maybe"),
    ]);
    expect(after).toEqual(before.map(count => count + 1));
  });
});

/** Repairs the filter, then stops the processes that would repair it during a test. */
async function sealedAndUnattended() {
  gate.startRelay();
  await waitFor("the shard to be sealed", async () => {
    const answer = await gate.check(FREE);
    return answer.status === "available" && answer.source === "filter";
  });
  await gate.stopRelay();
}

async function expectDatabaseAnswers() {
  const before = await fallbacks("filter_unavailable");
  expect(await gate.check(TAKEN)).toEqual({ status: "taken", source: "database" });
  expect(await gate.check(FREE)).toEqual({ status: "available", source: "database" });
  expect(await fallbacks("filter_unavailable")).toBe(before + 2);
}

async function expectRepairByRelay() {
  gate.startRelay();
  await waitFor("the filter to answer again", async () => {
    const answer = await gate.check(FREE);
    return answer.status === "available" && answer.source === "filter";
  });
  await gate.delivered();
  expect(await gate.check(TAKEN)).toEqual({ status: "taken", source: "database" });
}

describe("a filter that proves nothing", () => {
  beforeEach(sealedAndUnattended);

  it.each<[string, () => Promise<unknown>]>([
    ["its shard was deleted", () => gate.redis.ask("DEL", shardKey())],
    ["a plain string lies under its key", () => gate.redis.ask("SET", shardKey(), "x")],
    ["an empty string lies under its key", () => gate.redis.ask("SET", shardKey(), "")],
    [
      "a hash lies under its key",
      async () => {
        await gate.redis.ask("DEL", shardKey());
        await gate.redis.ask("HSET", shardKey(), "field", "value");
      },
    ],
    [
      "zeros of the right length lie under its key",
      async () => {
        const length = Number(await gate.redis.ask("STRLEN", shardKey()));
        await gate.redis.ask("SET", shardKey(), Buffer.alloc(length));
      },
    ],
    [
      "another version's shard lies under its key",
      async () => {
        const bytes = Number(await gate.redis.ask("STRLEN", shardKey()));
        // The same bits with the trailer of another version.
        await gate.redis.ask("SETRANGE", shardKey(), String(bytes - 6), "vother");
      },
    ],
    ["everything was flushed", () => gate.redis.ask("FLUSHALL")],
    [
      "allkeys-lru has evicted everything",
      async () => {
        await gate.redis.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        await gate.redis.ask("CONFIG", "SET", "maxmemory", "1");
        await waitFor("the eviction", async () => {
          await gate.redis.ask("SET", "filler", "x").catch(() => null);
          return (await gate.redis.ask("EXISTS", shardKey())) === 0;
        });
        await gate.redis.ask("CONFIG", "SET", "maxmemory", "0");
      },
    ],
  ])("%s: the database answers, health says so, and the relay repairs it", async (_, destroy) => {
    await destroy();
    await expectDatabaseAnswers();
    const { status, problems } = await health();
    expect(status).toBe("degraded");
    expect(problems.join()).toMatch(/\d+ of 256 filter shards are not ready/);
    await expectRepairByRelay();
  });

  it("a broken shard affects only its own names", async () => {
    await gate.redis.ask("DEL", shardKey());
    const elsewhere = ["zoe", "yves", "xenia"].filter(name => shardOf(name) !== SHARD);
    for (const name of elsewhere) {
      expect(await gate.check(name)).toEqual({ status: "available", source: "filter" });
    }
    await expectDatabaseAnswers();
  });

  it.each<["bitmap" | "redisbloom"]>([["bitmap"], ["redisbloom"]])(
    "the pointer names a version that was never built, in %s: the database answers",
    async engine => {
      const pointer = gate.server.pointer.current!;
      const never = { ...pointer, version: pointer.version + 1, engine };
      await gate.redis.ask("SET", FILTER_POINTER_KEY, JSON.stringify(never));
      await waitFor("the server to follow", () => gate.server.pointer.current?.version === never.version);
      await expectDatabaseAnswers();
      expect((await health()).status).toBe("degraded");
      // The relay publishes the right pointer again, and readers follow it.
      await expectRepairByRelay();
      expect(gate.server.pointer.current!.version).toBe(pointer.version);
    },
  );

  it.each([
    ["no JSON", "{"],
    ["another shape", JSON.stringify({ version: 2 })],
    ["an impossible version", JSON.stringify({ version: -1, engine: "bitmap" })],
  ])("a pointer of %s is not followed", async (_, text) => {
    const { version } = gate.server.pointer.current!;
    await gate.redis.ask("SET", FILTER_POINTER_KEY, text);
    await waitFor("a look at the pointer", () => gate.server.pointer.ageMs < 100);
    expect(gate.server.pointer.current!.version).toBe(version);
    expect(await gate.check(TAKEN)).toEqual({ status: "taken", source: "database" });
    expect(await gate.check(FREE)).toEqual({ status: "available", source: "filter" });
  });

  it("an absent from a full shard proves nothing; from other shards it does", async () => {
    const pointer = gate.server.pointer.current!;
    await gate.redis.ask(
      "SET",
      FILTER_POINTER_KEY,
      JSON.stringify({ ...pointer, revision: pointer.revision + 1, full: [SHARD] }),
    );
    await waitFor("the server to follow", () => gate.server.pointer.current!.full.includes(SHARD));
    await expectDatabaseAnswers();
    expect((await health()).problems.join()).toMatch(/1 of 256 filter shards are full/);
    expect((await health()).status).toBe("degraded");
    const elsewhere = ["zoe", "yves"].find(name => shardOf(name) !== SHARD)!;
    expect(await gate.check(elsewhere)).toEqual({ status: "available", source: "filter" });
    await expectRepairByRelay();
    expect(gate.server.pointer.current!.full.includes(SHARD)).toBe(false);
  });

  it("a signup works without the filter, and a taken name stays taken", async () => {
    await gate.redis.ask("FLUSHALL");
    await gate.signUp(newPerson("without-filter"));
    await expect(gate.signUp(newPerson(TAKEN))).rejects.toMatchObject({ data: { code: "CONFLICT" } });
    expect(await gate.check("without-filter")).toEqual({ status: "taken", source: "database" });
  });
});
