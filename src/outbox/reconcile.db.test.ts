import { beforeEach, describe, expect, it } from "vitest";
import { shardOf } from "../filter/layout";
import { masterIdentities } from "../filter/master-identities";
import type { StoredVersion } from "../filter/versions";
import { redisIsReady } from "../store/redis";
import { filterKey } from "../store/redis-keys";
import { filterFixture } from "../testing/filter-fixture";
import { makeVersion, namesNotIn } from "../testing/filter-state";
import { insertUserBySql } from "../testing/test-database";
import { waitFor } from "../testing/wait-for";
import { Reconciler, type ReconcilerOptions } from "./reconcile";

const HOUR_MS = 3_600_000;
const signal = new AbortController().signal;

const fixture = filterFixture({ sharesDatabase: true });
let version: StoredVersion;
let replays: { count: number; reason: string }[];

beforeEach(async () => {
  version = await makeVersion(fixture.pool, fixture.bitmap);
  replays = [];
});

function reconciler(overrides: Partial<ReconcilerOptions> = {}): Reconciler {
  return new Reconciler({
    pool: fixture.pool,
    deliver: fixture.deliver,
    identities: () => masterIdentities(fixture.redis),
    keptMs: 24 * HOUR_MS,
    recentMs: 300_000,
    onReplayed: (count, reason) => void replays.push({ count, reason }),
    ...overrides,
  });
}

/** Signs a name up by SQL and delivers its event. */
async function signUp(name: string): Promise<void> {
  await insertUserBySql(fixture.pool, name);
  expect(await fixture.relay()).toMatchObject({ delivered: 1 });
  expect(await namesNotIn(fixture.bitmap, version, [name])).toEqual([]);
}

/** Signs a name up, then restores the old bytes of its shard, as a failover does. */
async function signUpAndLose(name: string): Promise<void> {
  const key = filterKey(shardOf(name), version.version);
  const before = await fixture.redis.getBuffer(key);
  await signUp(name);
  await fixture.redis.set(key, before!);
  expect(await fixture.bitmap.lookup(version, shardOf(name), name)).toBe("absent");
}

describe("an acknowledged add that a failover lost", () => {
  it("is added again on request", async () => {
    const subject = reconciler();
    await subject.reconcile(signal);
    await signUpAndLose("bob");
    await subject.reconcile(signal);
    expect(await namesNotIn(fixture.bitmap, version, ["bob"])).toEqual(["bob"]);
    subject.request();
    await subject.reconcile(signal);
    expect(await namesNotIn(fixture.bitmap, version, ["bob"])).toEqual([]);
    expect(replays.at(-1)).toEqual({ count: 1, reason: "a write met a read-only node" });
  });

  it("is added again when the server restarts with an older dump, without a request", async () => {
    const subject = reconciler();
    await subject.reconcile(signal);
    expect(await fixture.server.ask("SAVE")).toBe("OK");
    await signUp("carol");
    await fixture.server.kill();
    await fixture.server.run();
    expect(await redisIsReady(fixture.redis, 20_000)).toBe(true);
    expect(await fixture.bitmap.lookup(version, shardOf("carol"), "carol")).toBe("absent");
    await waitFor("a reconciliation to succeed", () =>
      subject.reconcile(signal).then(
        () => true,
        () => false,
      ),
    );
    expect(await namesNotIn(fixture.bitmap, version, ["carol"])).toEqual([]);
  });

  it("is added again when another node takes over", async () => {
    const subject = reconciler();
    await subject.reconcile(signal);
    await signUpAndLose("dora");
    await fixture.server.ask("REPLICAOF", "127.0.0.1", "1");
    await fixture.server.ask("REPLICAOF", "NO", "ONE");
    await waitFor("a reconciliation to succeed", () =>
      subject.reconcile(signal).then(
        () => true,
        () => false,
      ),
    );
    expect(await namesNotIn(fixture.bitmap, version, ["dora"])).toEqual([]);
  });

  it("is added again by the regular replay when the loss can't be detected", async () => {
    let now = 1_000_000;
    const subject = reconciler({ now: () => now });
    await subject.reconcile(signal);
    await signUpAndLose("emil");
    now += 149_000;
    await subject.reconcile(signal);
    expect(await namesNotIn(fixture.bitmap, version, ["emil"])).toEqual(["emil"]);
    now += 2_000;
    await subject.reconcile(signal);
    expect(await namesNotIn(fixture.bitmap, version, ["emil"])).toEqual([]);
    expect(replays.at(-1)).toEqual({ count: 1, reason: "regular" });
  });
});

describe("the reconciler", () => {
  it("replays all kept rows for a new master, and the recent window on request", async () => {
    await signUp("old");
    await fixture.pool.query("UPDATE outbox SET processed_at = now() - interval '20 hours'");
    await signUp("recent");
    const subject = reconciler();
    await subject.reconcile(signal);
    expect(replays).toEqual([{ count: 2, reason: expect.stringContaining("restarted") }]);
    subject.request();
    await subject.reconcile(signal);
    expect(replays[1]).toMatchObject({ count: 1 });
    await subject.reconcile(signal);
    expect(replays).toHaveLength(2);
  });

  it("does not replay for masters that another relay has seen", async () => {
    await signUp("known");
    await reconciler().reconcile(signal);
    expect(replays).toHaveLength(1);
    await reconciler().reconcile(signal);
    expect(replays).toHaveLength(1);
  });

  it("stores a master only after a complete replay", async () => {
    await signUp("again");
    const failing = reconciler({ deliver: async keys => keys.map(() => ({ error: "READONLY" })) });
    await expect(failing.reconcile(signal)).rejects.toThrow("READONLY");
    await reconciler().reconcile(signal);
    expect(replays).toMatchObject([{ count: 1 }]);
  });

  it("keeps a request whose replay failed", async () => {
    let broken = false;
    const subject = reconciler({
      deliver: keys =>
        broken ? Promise.resolve(keys.map(() => ({ error: "READONLY" }))) : fixture.deliver(keys),
    });
    await subject.reconcile(signal);
    await signUpAndLose("frida");
    subject.request();
    broken = true;
    await expect(subject.reconcile(signal)).rejects.toThrow("READONLY");
    broken = false;
    await subject.reconcile(signal);
    expect(await namesNotIn(fixture.bitmap, version, ["frida"])).toEqual([]);
  });
});
