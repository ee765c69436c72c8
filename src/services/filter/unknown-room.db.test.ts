import { expect, it } from "vitest";
import { createEngines } from "../../filter/detect-engine";
import { filterFixture } from "../../testing/filter-fixture";
import { byOperator } from "../../testing/rollout-state";
import { createFilterServices } from "./filter-services";

const fixture = filterFixture();
const REQUEST = { capacity: 50_000, errorRate: 0.01, engine: "bitmap" as const };
const rebuild = { capacity: 50_000, errorRate: 0.01, engine: "bitmap" as const, reason: "a test" };

const services = () =>
  createFilterServices({
    pool: fixture.pool,
    prisma: fixture.prisma,
    redis: fixture.redis,
    engines: createEngines(fixture.redis),
    approvals: 1,
    bakeMinutes: 15,
  });

it("a Redis without a limit of its own: the plan says unknown, and a rebuild needs a confirmation", async () => {
  const filter = services();
  expect(await filter.plan(REQUEST)).toMatchObject({ room: "unknown", problem: null });
  const refused = filter.rebuild(byOperator("mia"), rebuild);
  await expect(refused).rejects.toMatchObject({
    code: "BAD_REQUEST",
    message: expect.stringContaining("unknown"),
  });
  expect(await fixture.prisma.filterVersion.count()).toBe(0);
  const confirmed = Object.assign({ confirmUnknownRoom: true }, rebuild);
  expect(await filter.rebuild(byOperator("mia"), confirmed)).toBe(1);
});

it("a Redis with a limit that is large enough: no confirmation is asked for", async () => {
  await fixture.server.ask("CONFIG", "SET", "maxmemory", "500mb");
  try {
    const filter = services();
    expect((await filter.plan(REQUEST)).room).toBe("enough");
    expect(await filter.rebuild(byOperator("mia"), rebuild)).toBe(1);
  } finally {
    await fixture.server.ask("CONFIG", "SET", "maxmemory", "0");
  }
});
