import { describe, expect, it } from "vitest";
import { blocksSignup, statusFromAnswer, statusFromError, statusText } from "./username-status";

const failed = (data?: object) => Object.assign(new Error("said by the server"), { data });

describe("username status", () => {
  it.each([
    ["available", statusFromAnswer({ status: "available", source: "filter" }), false, "Free."],
    ["taken", statusFromAnswer({ status: "taken", source: "database" }), true, "Taken."],
    ["reserved", statusFromAnswer({ status: "reserved", message: "Kept." }), true, "Reserved."],
    [
      "invalid",
      statusFromAnswer({ status: "invalid", rule: "length", message: "Short." }),
      true,
      "Not possible.",
    ],
    ["busy", statusFromAnswer({ status: "busy", retryAfterMs: 500 }), false, "Not checked yet."],
    ["a rate limit", statusFromError(failed({ code: "TOO_MANY_REQUESTS" })), false, "Not checked yet."],
    ["no answer at all", statusFromError(new TypeError("Failed to fetch")), false, "Not checked yet."],
    ["a name no schema accepts", statusFromError(failed({ code: "BAD_REQUEST" })), true, "Not possible."],
  ])("after %s", (_, status, blocks, word) => {
    expect(blocksSignup(status)).toBe(blocks);
    expect(statusText(status, "luna")[0]).toBe(word);
  });

  it("keeps the server's request about when to ask again", () => {
    const error = failed({ code: "TOO_MANY_REQUESTS", details: { retryAfterMs: 9_000 } });
    expect(statusFromError(error)).toMatchObject({ why: "limited", retryAfterMs: 9_000 });
  });

  it("says nothing before anything is settled", () => {
    expect(statusText({ kind: "checking" }, "luna")).toEqual(["", ""]);
  });
});
