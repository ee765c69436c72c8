import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shardOf } from "../filter/layout";
import { filterKey } from "../store/redis-keys";
import { failureOf, newPerson, TestGate } from "../testing/server-gate";
import { metricOf } from "../testing/test-gate";
import { waitFor } from "../testing/wait-for";

let gate: TestGate;

beforeAll(async () => {
  gate = await TestGate.start();
  await waitFor("the filter to answer", async () => (await checked("a-new-name")) === "available filter");
});

afterAll(() => gate.stop());

async function checked(name: string): Promise<string> {
  const answer = await gate.check(name);
  return "source" in answer ? `${answer.status} ${answer.source}` : answer.status;
}

/** Makes the account older, so that its event is no longer pending. */
const ageUser = (key: string) =>
  gate.database.pool.query(
    "UPDATE users SET updated_at = now() - interval '1 minute' WHERE username_key = $1",
    [key],
  );

const expectRefused = async (spelling: string) =>
  expect(await failureOf(gate.signUp(newPerson(spelling)))).toMatchObject({
    code: "CONFLICT",
    details: { field: "username", rule: "taken" },
  });

describe("a failover that loses acknowledged adds", () => {
  it("of one shard: no second account, and the name is added again", async () => {
    const key = filterKey(shardOf("bob"), gate.server.pointer.current!.version);
    const backup = `${key}:backup`;
    await gate.redis.ask("COPY", key, backup);
    await gate.signUp(newPerson("bob"));
    await gate.delivered();
    expect(await checked("bob")).toBe("taken database");

    await gate.redis.ask("COPY", backup, key, "REPLACE");
    await ageUser("bob");
    // The add was acknowledged and is lost: the filter is wrong, and no process knows.
    expect(await checked("bob")).toBe("available filter");
    const before = await metricOf(gate.server.registry, "bloom_false_negative_total");
    await expectRefused("bob");
    await expectRefused("BOB");
    expect(await gate.count("users", "username_key = 'bob'")).toBe(1);
    expect(await metricOf(gate.server.registry, "bloom_false_negative_total")).toBeGreaterThan(before);
    await waitFor("the name to be back", async () => (await checked("bob")) === "taken database");
  });

  it("of the whole server, from an older dump: the relay adds the newer names again", async () => {
    await gate.delivered();
    await gate.redis.ask("SAVE");
    await gate.signUp(newPerson("since-dump"));
    await gate.delivered();
    expect(await checked("since-dump")).toBe("taken database");

    await gate.redis.kill();
    expect(await checked("since-dump")).toBe("taken database");
    await gate.redis.run();
    // Restarted and sealed, without the name: only the relay's replay adds it again.
    await waitFor("the filter to answer", async () => (await checked("another-name")) === "available filter");
    await waitFor("the name to be back", async () => (await checked("since-dump")) === "taken database");
    await waitFor("it to be in the filter", async () => {
      const before = await metricOf(gate.server.registry, "bloom_lookups_total", { answer: "maybe" });
      await gate.check("since-dump");
      return (await metricOf(gate.server.registry, "bloom_lookups_total", { answer: "maybe" })) > before;
    });
  });

  it("of the whole server, empty: the database answers until the filter is rebuilt", async () => {
    await gate.stopRelay();
    await gate.redis.ask("FLUSHALL");
    await gate.redis.ask("SAVE");
    await gate.redis.kill();
    await gate.redis.run();
    await waitFor("the server to be connected", async () => {
      const before = await metricOf(gate.server.registry, "bloom_lookups_total", { answer: "unavailable" });
      expect(await checked("bob")).toBe("taken database");
      return (
        (await metricOf(gate.server.registry, "bloom_lookups_total", { answer: "unavailable" })) > before &&
        gate.server.filter.openBreakers.length === 0
      );
    });
    gate.startRelay();
    await waitFor("the rebuild", async () => (await checked("another-name")) === "available filter");
    expect(await checked("bob")).toBe("taken database");
    expect(await checked("since-dump")).toBe("taken database");
  });
});
