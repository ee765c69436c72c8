import { describe, expect, it } from "vitest";
import { nextPath } from "./next-path";

describe("the page after sign-in", () => {
  it("is the wanted page with its query", () => {
    expect(nextPath("/console/audit?id=7")).toBe("/console/audit?id=7");
  });

  it.each([
    null,
    "",
    "https://evil.example/console/gate",
    "//evil.example/console/",
    "/\\evil.example/console/",
    "javascript:alert(1)",
    "/welcome",
    "/console/../welcome",
    "/console/sign-in?next=/console/sign-in",
    "http://[",
  ])("never leaves the console for %s", wanted => {
    expect(nextPath(wanted)).toBe("/console");
  });
});
