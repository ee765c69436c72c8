import { describe, expect, it } from "vitest";
import { freePort } from "../runtime/ports";
import { createApi } from "./api-client";
import { exitCodeOf } from "./run-command";
import { runSymbolsCommand } from "./symbols-command";

/** No server listens on the port: a command that calls the API fails with exit code 3. */
async function exitCode(...argv: string[]): Promise<number> {
  const api = createApi(
    {
      FLOODGATE_URL: `http://127.0.0.1:${await freePort()}`,
      FLOODGATE_TOKEN: "fg_test",
    },
    { pauseMs: 1 },
  );
  return runSymbolsCommand(api, argv).then(() => 0, exitCodeOf);
}

describe("npm run symbols", () => {
  it.each([
    [[]],
    [["explode"]],
    [["hot"]],
    [["hot", "DOGE", "now"]],
    [["hot", "DOGE", "--factor", "many"]],
    [["hot", "DOGE", "--plain", "--planned"]],
    [["hot", "DOGE", "--strategy", "luck"]],
    [["auto", "DOGE"]],
    [["auto", "DOGE", "perhaps"]],
    [["auto", "DOGE", "on", "please"]],
    [["auto", "DOGE", "on", "--most", "1"]],
    [["auto", "DOGE", "on", "--after", "soon"]],
    [["add", "LTC"]],
    [["add", "LTC", "--price-decimals", "2", "--quantity-decimals", "13"]],
    [["add", "--price-decimals", "2", "--quantity-decimals", "8"]],
    [["halt", "DOGE"]],
    [["halt", "--reason", "a fork"]],
    [["halt", "DOGE", "--version", "new"]],
    [["resume"]],
    [["delist"]],
    [["pending"]],
  ])("%j has exit code 2", async argv => {
    expect(await exitCode(...argv)).toBe(2);
  });

  it.each([[["list"]], [["merge", "DOGE"]], [["auto", "DOGE", "on", "--most", "3"]], [["delist", "DOGE"]]])(
    "%j without a server has exit code 3",
    async argv => {
      expect(await exitCode(...argv)).toBe(3);
    },
  );
});
