import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { shardOfKey } from "../../domain/orders/hash-range";
import type { ReshardableLog } from "../../domain/orders/order-log";
import { applyShardChange, type ShardChange } from "../../domain/orders/shard-change";
import { KinesisFixture, readShard } from "../../testing/kinesis-fixture";
import { waitFor } from "../../testing/wait-for";

let fixture: KinesisFixture;
beforeAll(async () => {
  fixture = await KinesisFixture.start();
});
afterAll(() => fixture.stop());
beforeEach(() => {
  fixture.proxy.hooks = {};
});

/** Changes the shards and waits for the map that the change promises. */
async function reshard(log: ReshardableLog, change: ShardChange): Promise<void> {
  const before = await log.readMap();
  const { after } = applyShardChange(before, change);
  expect(await log.reshard(change, before.version)).toBe(true);
  await waitFor("the new map", async () => (await log.readMap()).version > before.version);
  const byId = (a: { id: string }, b: { id: string }) => Number(a.id) - Number(b.id);
  expect((await log.readMap()).open.toSorted(byId)).toEqual(after.toSorted(byId));
}

describe("a change of the shards of a Kinesis stream", () => {
  it("splits a shard and merges its halves, with the ids and ranges of the preview", async () => {
    const { log } = await fixture.freshLog(2);
    const first = (await log.readMap()).open[0]!.id;
    await reshard(log, { kind: "split", shardId: first });
    await reshard(log, { kind: "merge", shardId: "3", neighbourId: "2" });
    const { open } = await log.readMap();
    expect(open.map(({ id }) => id).sort()).toEqual(["1", "4"]);
    const shardId = shardOfKey(open, "DOGE").id;
    const records = [{ partitionKey: "DOGE", data: Buffer.from("a") }];
    expect((await log.append({ shardId, producer: 1, firstNumber: 1, records })).outcome).toBe("ok");
    expect(await readShard(log, shardId, { count: 1 })).toHaveLength(1);
  });

  it("of an older map, or while another one is under way, changes nothing", async () => {
    const { log } = await fixture.freshLog(2);
    const { version } = await log.readMap();
    const split = { kind: "split", shardId: "1" } as const;
    expect(await log.reshard(split, version - 1)).toBe(false);
    fixture.proxy.hooks.before = ({ action }) =>
      action === "SplitShard"
        ? { status: 400, body: { __type: "ResourceInUseException", message: "is UPDATING" } }
        : undefined;
    expect(await log.reshard(split, version)).toBe(false);
    fixture.proxy.hooks = {};
    expect((await log.readMap()).version).toBe(version);
    expect(await log.reshard(split, version)).toBe(true);
    await waitFor("the new map", async () => (await log.readMap()).version > version);
    expect(await log.reshard(split, version)).toBe(false);
  });

  it.each([
    ["LimitExceededException", "quota of shards raised"],
    ["AccessDeniedException", "SplitShard and MergeShards"],
  ])("says what to do about %s", async (type, advice) => {
    const { log } = await fixture.freshLog(1);
    const { version } = await log.readMap();
    fixture.proxy.hooks.before = ({ action }) =>
      action === "SplitShard" ? { status: 400, body: { __type: type, message: "No." } } : undefined;
    await expect(log.reshard({ kind: "split", shardId: "0" }, version)).rejects.toThrow(advice);
  });
});
