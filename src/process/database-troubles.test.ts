import { expect, it, vi } from "vitest";
import { DatabaseTroubles } from "./database-troubles";

const full = Object.assign(new Error("no room"), { code: "53100", severity: "ERROR" });

it("tells of a loop until its next step succeeds", () => {
  const troubles = new DatabaseTroubles();
  troubles.failed("housekeeping failed", full);
  troubles.failed("housekeeping failed", full);
  expect(troubles.problems).toEqual([
    "The database refuses: housekeeping failed, 2 times in a row (SQLSTATE 53100).",
  ]);
  troubles.succeeded("housekeeping failed");
  expect(troubles.problems).toEqual([]);
});

it("tells of refused requests for ten seconds after the last one", () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(1_000);
  const troubles = new DatabaseTroubles();
  troubles.requestFailed(full);
  clock.mockReturnValue(11_000);
  expect(troubles.problems).toEqual([
    "The database refused requests: 1 in the last seconds (SQLSTATE 53100).",
  ]);
  clock.mockReturnValue(11_001);
  expect(troubles.problems).toEqual([]);
  clock.mockRestore();
});

it("does not take a failure of Redis or Kinesis for one of the database", () => {
  const troubles = new DatabaseTroubles();
  for (const code of ["ECONNREFUSED", "ETIMEDOUT", undefined])
    troubles.failed("watermarks not written", Object.assign(new Error("Connection is closed."), { code }));
  expect(troubles.problems).toEqual([]);
});
