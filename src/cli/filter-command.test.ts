import { describe, expect, it } from "vitest";
import { freePort } from "../runtime/ports";
import { UsageError } from "../runtime/read-options";
import { createApi } from "./api-client";
import { runFilterCommand } from "./filter-command";
import { exitCodeOf, FailedError } from "./run-command";

/** No server listens on the port: a command that calls the API fails with exit code 3. */
async function exitCode(...argv: string[]): Promise<number> {
  const api = createApi(
    {
      FLOODGATE_URL: `http://127.0.0.1:${await freePort()}`,
      FLOODGATE_TOKEN: "fg_test",
    },
    { pauseMs: 1 },
  );
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
  ])("%j has exit code 2", async argv => {
    expect(await exitCode(...argv)).toBe(2);
  });

  it.each([[["status"]], [["rebuild", "--capacity", "20_000"]], [["rollback"]], [["retire", "v1"]]])(
    "%j without a server has exit code 3",
    async argv => {
      expect(await exitCode(...argv)).toBe(3);
    },
  );

  it("has exit code 1 for a failed command", () => {
    expect(exitCodeOf(new FailedError("v2 failed"))).toBe(1);
    expect(exitCodeOf(new UsageError("which?"))).toBe(2);
  });
});
