import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi } from "../cli/api-client";
import { exitCodeOf } from "../cli/run-command";
import { runShardsCommand } from "../cli/shards-command";
import { NO_LIMITS, RedisLog } from "../orders/redis-log";
import type { RedisClient } from "../store/redis";
import { setLoad } from "../testing/order-figures";
import { auditRows, insertToken, StaffFixture } from "../testing/staff";
import { connect } from "../testing/test-redis";

let fixture: StaffFixture;
let redis: RedisClient;
let log: RedisLog;
let api: Api;
let token: { authorization: string };

beforeAll(async () => {
  fixture = await StaffFixture.start({ ORDER_LIMITS: "100/100000" });
  redis = await connect(fixture.redis.url, 5_000);
  log = new RedisLog(redis, { log: "orders", limits: NO_LIMITS });
  const secret = await insertToken(fixture.database.prisma, { scopes: ["orders.view", "shards.change"] });
  token = { authorization: `Bearer ${secret}` };
  api = createApi({ FLOODGATE_URL: fixture.server.url, FLOODGATE_TOKEN: secret });
});
afterAll(async () => {
  redis.disconnect();
  await fixture.stop();
});

const run = (...argv: string[]) => runShardsCommand(api, argv) as Promise<Record<string, unknown>>;
const split = (input: object) => fixture.call("shards.split", { reason: "a launch", ...input }, token);

describe("the shards over the API", () => {
  it("are refused before there is a log", async () => {
    for (const path of ["shards.list", "shards.preview"]) {
      const { json } = await fixture.ask(path, { kind: "split", shardId: "0" }, token);
      expect(json.error.message).toContain("no aggregator has run yet");
    }
    expect((await split({ shardId: "0", expectedVersion: 1 })).status).toBe(503);
    await log.create(4);
  });

  it("are listed with their part of the hash space, their load and their sub-keys", async () => {
    await setLoad(redis, {
      symbol: "DOGE",
      shardId: "0",
      offered: 50,
      durable: 50,
      bytes: 5_000,
      throttled: 0,
    });
    // The figures of a moment ago are used for a second.
    await expect
      .poll(async () => (await api.shards.list.query()).rows[0]!.utilization, { timeout: 10_000 })
      .toBeCloseTo(0.5, 5);
    const { rows, version, splits } = await api.shards.list.query();
    expect(version).toBe((await log.readMap()).version);
    expect(splits).toEqual([]);
    expect(rows.map(({ shardId, share, neighbours }) => [shardId, share, neighbours])).toEqual([
      ["0", 0.25, ["1"]],
      ["1", 0.25, ["0", "2"]],
      ["2", 0.25, ["1", "3"]],
      ["3", 0.25, ["2"]],
    ]);
    expect(rows.flatMap(({ subKeys }) => subKeys)).toContainEqual({ symbol: "DOGE", partitionKey: "DOGE" });
  });

  it("a preview changes nothing, and has the ids of the change", async () => {
    const before = await log.readMap();
    const preview = await api.shards.preview.query({ kind: "split", shardId: "0" });
    expect(preview).toMatchObject({ version: before.version, refusal: null });
    expect(preview.shards.filter(({ state }) => state === "opened")).toMatchObject([
      { shardId: "4", share: 0.125 },
      { shardId: "5", share: 0.125 },
    ]);
    expect(await log.readMap()).toEqual(before);
    const { json, status } = await fixture.ask("shards.preview", { kind: "split", shardId: "9" }, token);
    expect([status, json.error.message]).toEqual([404, expect.stringContaining("no open shard 9")]);
  });

  it("a split needs a reason and the version that its caller saw, and is audited", async () => {
    const { version } = await log.readMap();
    expect((await split({ shardId: "3", expectedVersion: version, reason: " " })).status).toBe(400);
    const old = await split({ shardId: "3", expectedVersion: version - 1 });
    expect([old.status, old.json.error.message]).toEqual([409, expect.stringContaining("List the shards")]);
    const done = await split({ shardId: "3", expectedVersion: version });
    expect(done.json.result.data).toEqual({
      closed: ["3"],
      opened: ["4", "5"],
      version: version + 1,
      isComplete: true,
    });
    expect(await auditRows(fixture.database.pool, "action = 'shards.change'")).toMatchObject([
      { outcome: "ok", target: "shards:3", reason: "a launch" },
      { outcome: "failed", target: "shards:3", reason: "a launch" },
    ]);
    // The list is not a second old.
    expect((await api.shards.list.query()).version).toBe(version + 1);
  });
});

describe("npm run shards", () => {
  it("lists, previews, splits and merges", async () => {
    const { version } = await log.readMap();
    expect(await run("list")).toMatchObject({ version });
    expect(await run("merge", "4", "5", "--preview")).toMatchObject({ version, refusal: null });
    expect(await run("merge", "5", "4", "--version", `${version}`)).toMatchObject({ opened: ["6"] });
    expect(await run("split", "6", "--reason", "a launch")).toMatchObject({ opened: ["7", "8"] });
    expect(await run("split", "9").then(() => 0, exitCodeOf)).toBe(1);
    expect(await run("split", "7", "--version", `${version}`).then(() => 0, exitCodeOf)).toBe(1);
    const [newest] = await auditRows(fixture.database.pool, "action = 'shards.change' AND outcome = 'ok'");
    expect(newest).toMatchObject({ actor_kind: "token", target: "shards:6", reason: "a launch" });
  });

  it("is refused a merge to fewer shards than a split's factor, in the preview too", async () => {
    const { open } = await log.readMap();
    const { pool } = fixture.database;
    await pool.query(
      `INSERT INTO split_plans (symbol, epoch, factor, strategy, placement, reason, set_by, set_at)
       VALUES ('DOGE', 1, $1, 'account', 'planned', 'test', 'test', now())`,
      [open.length],
    );
    await expect
      .poll(async () => (await run("merge", "7", "8", "--preview")).refusal, { timeout: 10_000 })
      .toContain("First merge DOGE");
    await expect(run("merge", "7", "8")).rejects.toThrow("First merge DOGE");
  });
});
