import { describe, expect, it } from "vitest";
import { PointerFollower, publishPointer, readPointer } from "../../filter/pointer";
import { FILTER_POINTER_KEY } from "../../store/redis-keys";
import { filterFixture } from "../../testing/filter-fixture";
import { byOperator, insertVersionRow, rolloutRevision } from "../../testing/rollout-state";
import { setTraffic } from "./set-traffic";

const fixture = filterFixture({ sharesDatabase: true });

describe("the pointer", () => {
  it("never goes back to an older revision, unless the database itself did", async () => {
    await insertVersionRow(fixture.prisma, { version: 1, state: "active" });
    await publishPointer(fixture.redis, fixture.pool);
    const first = await readPointer(fixture.redis);
    await fixture.redis.setPointer(
      FILTER_POINTER_KEY,
      JSON.stringify({ ...first, revision: 0, version: 7 }),
      0,
      "",
    );
    expect(await readPointer(fixture.redis)).toEqual(first);
    await fixture.redis.set(FILTER_POINTER_KEY, JSON.stringify({ ...first, revision: 99, version: 7 }));
    expect(await publishPointer(fixture.redis, fixture.pool)).toMatchObject({ version: 1, changed: true });
    expect(await readPointer(fixture.redis)).toEqual(first);
  });

  it("contains the candidate while it gets reads", async () => {
    await insertVersionRow(fixture.prisma, { version: 1, state: "active" });
    await insertVersionRow(fixture.prisma, { version: 2, state: "ready" });
    await publishPointer(fixture.redis, fixture.pool);
    expect(await readPointer(fixture.redis)).toMatchObject({ version: 1, candidate: null });
    const traffic = {
      version: 2,
      shadowPercent: 50,
      canaryPercent: 5,
      revision: await rolloutRevision(fixture.prisma),
    };
    await setTraffic(fixture.prisma, byOperator("mia"), { ...traffic, reason: "a test" });
    await publishPointer(fixture.redis, fixture.pool);
    expect(await readPointer(fixture.redis)).toMatchObject({
      version: 1,
      candidate: { version: 2, shadowPercent: 50, canaryPercent: 5 },
    });
  });

  it("of another database is followed no longer when this one has no active version", async () => {
    await fixture.redis.set(
      FILTER_POINTER_KEY,
      JSON.stringify({
        version: 7,
        engine: "bitmap",
        shardCapacity: 500,
        errorRate: 0.01,
        full: [],
        revision: 99,
        candidate: null,
      }),
    );
    const follower = new PointerFollower(fixture.redis);
    await follower.refresh();
    expect(follower.current).toMatchObject({ version: 7 });
    expect(await publishPointer(fixture.redis, fixture.pool)).toBeNull();
    await follower.refresh();
    expect(follower.current).toBeNull();
    expect(await readPointer(fixture.redis)).toBeNull();

    await insertVersionRow(fixture.prisma, { version: 1, state: "active" });
    expect(await publishPointer(fixture.redis, fixture.pool)).toMatchObject({ version: 1, changed: true });
    await follower.refresh();
    await fixture.redis.unlink(FILTER_POINTER_KEY);
    await follower.refresh();
    expect(follower.current).toMatchObject({ version: 1 });
  });
});
