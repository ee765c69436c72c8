import { describe, expect, it } from "vitest";
import { freePort } from "../runtime/ports";
import { createApi } from "./api-client";
import { exitCodeOf } from "./exit-code-of";
import { runSymbolsCommand } from "./symbols-command";

/** Nobody listens there: whatever gets as far as a call fails by that. */
async function exitCode(...argv: string[]): Promise<number> {
  const api = createApi({
    FLOODGATE_URL: `http://127.0.0.1:${await freePort()}`,
    FLOODGATE_TOKEN: "fg_test",
  });
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
  ])("%j is wrong usage", async argv => {
    expect(await exitCode(...argv)).toBe(2);
  });

  it.each([[["list"]], [["cool", "DOGE"]], [["auto", "DOGE", "on", "--most", "3"]]])(
    "%j is right, and has no answer here",
    async argv => {
      expect(await exitCode(...argv)).toBe(3);
    },
  );
});
