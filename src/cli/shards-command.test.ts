import { describe, expect, it } from "vitest";
import { freePort } from "../runtime/ports";
import { createApi } from "./api-client";
import { exitCodeOf } from "./run-command";
import { runShardsCommand } from "./shards-command";

/** No server listens on the port: a command that calls the API fails with exit code 3. */
async function exitCode(...argv: string[]): Promise<number> {
  const api = createApi(
    {
      FLOODGATE_URL: `http://127.0.0.1:${await freePort()}`,
      FLOODGATE_TOKEN: "fg_test",
    },
    { pauseMs: 1 },
  );
  return runShardsCommand(api, argv).then(() => 0, exitCodeOf);
}

describe("npm run shards", () => {
  it.each([
    [[]],
    [["explode"]],
    [["list", "4"]],
    [["split"]],
    [["split", "4", "5"]],
    [["split", "four"]],
    [["merge", "4"]],
    [["merge", "4", "5", "6"]],
    [["split", "4", "--version", "new"]],
    [["split", "4", "--force"]],
  ])("%j has exit code 2", async argv => {
    expect(await exitCode(...argv)).toBe(2);
  });

  it.each([[["list"]], [["split", "4"]], [["merge", "4", "5", "--preview"]]])(
    "%j without a server has exit code 3",
    async argv => {
      expect(await exitCode(...argv)).toBe(3);
    },
  );
});
