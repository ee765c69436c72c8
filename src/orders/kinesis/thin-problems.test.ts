import { expect, it } from "vitest";
import { thinProblems } from "./thin-problems";

it("tells one problem of a kind in ten seconds, and how many it has kept", () => {
  const told: string[] = [];
  let nowMs = 0;
  const onProblem = thinProblems(
    what => told.push(what),
    () => nowMs,
  );
  for (let shard = 0; shard < 5; shard += 1) onProblem(`shard ${shard} took no records`, null);
  onProblem("shard 3 could not be read", null);
  nowMs = 9_999;
  onProblem("shard 1 took no records", null);
  nowMs = 10_000;
  onProblem("shard 2 took no records", null);
  nowMs = 30_000;
  onProblem("shard 2 took no records", null);
  expect(told).toEqual([
    "shard 0 took no records",
    "shard 3 could not be read",
    "shard 2 took no records; 5 more like it",
    "shard 2 took no records",
  ]);
});
