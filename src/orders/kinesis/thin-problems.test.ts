import { expect, it } from "vitest";
import { thinProblems } from "./thin-problems";

it("reports one problem of a phrase in ten seconds, and how many were suppressed", () => {
  const reported: [phrase: string, fields: object][] = [];
  let nowMs = 0;
  const onProblem = thinProblems(
    (phrase, fields) => reported.push([phrase, fields]),
    () => nowMs,
  );
  for (let shard = 0; shard < 5; shard += 1) onProblem("append to shard failed", { shardId: `${shard}` });
  onProblem("shard read failed", { shardId: "3" });
  nowMs = 9_999;
  onProblem("append to shard failed", { shardId: "1" });
  nowMs = 10_000;
  onProblem("append to shard failed", { shardId: "2" });
  nowMs = 30_000;
  onProblem("append to shard failed", { shardId: "2" });
  expect(reported).toEqual([
    ["append to shard failed", { shardId: "0" }],
    ["shard read failed", { shardId: "3" }],
    ["append to shard failed", { shardId: "2", suppressed: 5 }],
    ["append to shard failed", { shardId: "2" }],
  ]);
});
