import { expect, it } from "vitest";
import { RolloutController } from "../../controllers/filter/rollout-controller";
import { createEngines } from "../../filter/detect-engine";
import type { Logger } from "../../runtime/logger";
import { filterFixture } from "../../testing/filter-fixture";
import { makeVersion } from "../../testing/filter-state";
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
  expect(await filter.rebuild(byOperator("mia"), confirmed)).toEqual({ version: 1 });
});

it("a Redis with a limit that is large enough: no confirmation is asked for", async () => {
  await fixture.server.ask("CONFIG", "SET", "maxmemory", "500mb");
  try {
    const filter = services();
    expect((await filter.plan(REQUEST)).room).toBe("enough");
    expect(await filter.rebuild(byOperator("mia"), rebuild)).toEqual({ version: 1 });
  } finally {
    await fixture.server.ask("CONFIG", "SET", "maxmemory", "0");
  }
});

it("a scheduled rebuild does not start where the room is too little, and the log says why", async () => {
  const { pool, prisma, redis } = fixture;
  await makeVersion(pool, fixture.bitmap, { state: "active" });
  await prisma.filterVersion.updateMany({ data: { createdAt: new Date(0), capacity: 50_000_000n } });
  await prisma.filterRollout.update({
    where: { id: 1 },
    data: { rebuildEveryHours: 1, scheduleSetBy: "mia" },
  });
  const problems: unknown[] = [];
  const log = { error: (fields: { problem: unknown }) => problems.push(fields.problem) } as unknown as Logger;
  const deps = { pool, prisma, redis, engines: createEngines(redis), log, approvals: 1, bakeMinutes: 15 };
  await fixture.server.ask("CONFIG", "SET", "maxmemory", "30mb");
  try {
    await new RolloutController(deps).step([]);
    expect(await prisma.filterVersion.count()).toBe(1);
    expect(problems).toEqual([expect.stringMatching(/memory/i)]);
  } finally {
    await fixture.server.ask("CONFIG", "SET", "maxmemory", "0");
  }
  await new RolloutController(deps).step([]);
  expect(await prisma.filterVersion.count({ where: { state: "requested" } })).toBe(1);
});
