import { describe, expect, it } from "vitest";
import { blocksSignup, statusFromAvailability, statusFromError, statusText } from "./username-status";

const failed = (data?: object) => Object.assign(new Error("a message of the server"), { data });

describe("username status", () => {
  it.each([
    ["available", statusFromAvailability({ status: "available", source: "filter" }), false, "Free."],
    ["taken", statusFromAvailability({ status: "taken", source: "database" }), true, "Taken."],
    ["reserved", statusFromAvailability({ status: "reserved", message: "Kept." }), true, "Reserved."],
    [
      "invalid",
      statusFromAvailability({ status: "invalid", rule: "length", message: "Short." }),
      true,
      "Not possible.",
    ],
    ["busy", statusFromAvailability({ status: "busy", retryAfterMs: 500 }), false, "Not checked yet."],
    ["a rate limit", statusFromError(failed({ code: "TOO_MANY_REQUESTS" })), false, "Not checked yet."],
    ["no response", statusFromError(new TypeError("Failed to fetch")), false, "Not checked yet."],
    [
      "a name that the schema refuses",
      statusFromError(failed({ code: "BAD_REQUEST" })),
      true,
      "Not possible.",
    ],
  ])("after %s", (_, status, blocks, word) => {
    expect(blocksSignup(status)).toBe(blocks);
    expect(statusText(status, "luna")[0]).toBe(word);
  });

  it("keeps the retry delay of the server", () => {
    const error = failed({ code: "TOO_MANY_REQUESTS", details: { retryAfterMs: 9_000 } });
    expect(statusFromError(error)).toMatchObject({ why: "limited", retryAfterMs: 9_000 });
  });

  it("is empty before the check ends", () => {
    expect(statusText({ kind: "checking" }, "luna")).toEqual(["", ""]);
  });
});
