import { describe, expect, it } from "vitest";
import { freePort } from "../runtime/ports";
import { createApi } from "./api-client";
import { FailedError, UsageError } from "./command-errors";
import { exitCodeOf } from "./exit-code-of";
import { runFilterCommand } from "./filter-command";

/** Nobody listens there: whatever gets as far as a call fails by that. */
async function exitCode(...argv: string[]): Promise<number> {
  const api = createApi({
    FLOODGATE_URL: `http://127.0.0.1:${await freePort()}`,
    FLOODGATE_TOKEN: "fg_test",
  });
  return runFilterCommand(api, argv).then(() => 0, exitCodeOf);
}

describe("npm run filter", () => {
  it.each([
    [[]],
    [["explode"]],
    [["status", "--no-such-option"]],
    [["rebuild"]],
    [["rebuild", "--capacity", "many"]],
    [["rebuild", "--capacity", "1000", "--engine", "cuckoo"]],
    [["promote"]],
    [["promote", "latest"]],
    [["promote", "2", "--waive", "rows"]],
    [["traffic", "2", "--shadow", "10"]],
    [["traffic", "2", "--shadow", "10", "--canary", "120"]],
  ])("%j is wrong usage", async argv => {
    expect(await exitCode(...argv)).toBe(2);
  });

  it.each([[["status"]], [["rebuild", "--capacity", "20_000"]], [["rollback"]], [["retire", "v1"]]])(
    "%j without a server is no answer",
    async argv => {
      expect(await exitCode(...argv)).toBe(3);
    },
  );

  it("tells a refusal from the rest", () => {
    expect(exitCodeOf(new FailedError("v2 failed"))).toBe(1);
    expect(exitCodeOf(new UsageError("which?"))).toBe(2);
  });
});
