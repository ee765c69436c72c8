import { expect, test } from "vitest";
import { WorkWatch } from "./work-watch";

function watch() {
  let nowMs = 0;
  const work = new WorkWatch(2_000, () => nowMs);
  const later = (ms: number) => {
    nowMs += ms;
  };
  return { work, later };
}

test("a worker that has leased nothing yet is not ok", () => {
  expect(watch().work.problem).toBe("No partition is leased yet.");
});

test("a worker that steps through its partitions is ok", () => {
  const { work, later } = watch();
  work.renewed({ partitions: 8, unowned: null });
  work.worked();
  later(1_000);
  expect(work.problem).toBeNull();
});

test("without a partition it is ok only as a spare copy", () => {
  const { work } = watch();
  work.renewed({ partitions: 0, unowned: 0 });
  expect(work.problem).toBeNull();
  work.renewed({ partitions: 0, unowned: 3 });
  expect(work.problem).toBe("It has no partition, although 3 have no owner.");
  work.renewed({ partitions: 0, unowned: null });
  expect(work.problem).toContain("unknown");
});

test("leases that are not renewed, and work that fails again and again, are problems after a while", () => {
  const { work, later } = watch();
  work.renewed({ partitions: 8, unowned: null });
  work.worked();
  later(6_000);
  expect(work.problem).toBe("Its leases could not be renewed for 6 s: it has no work.");
  work.renewed({ partitions: 8, unowned: null });
  expect(work.problem).toBe("It has 8 partitions, and has not worked on them for 6 s.");
  work.worked();
  expect(work.problem).toBeNull();
});
