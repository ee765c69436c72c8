import { describe, expect, it } from "vitest";
import { namesItsOwner } from "./names-its-owner";

const owner = { key: "mirabelle", email: "plum.tree@example.com" };

describe("namesItsOwner", () => {
  it.each([
    "mirabelle2026",
    "My Mirabelle!",
    "xx-MIRABELLE-xx",
    "plum.tree plum.tree",
    "the Plum.Tree of 1999",
  ])("finds its owner in %s", password => expect(namesItsOwner(password, owner)).toBe(true));

  it.each(["three calm herons", "mirabell 2026", "example.com 2026", "plum tree plum"])(
    "finds nothing in %s",
    password => expect(namesItsOwner(password, owner)).toBe(false),
  );

  it("leaves names of three letters and nameless addresses alone", () => {
    expect(namesItsOwner("banana split please", { key: "ana", email: "spl@example.com" })).toBe(false);
    expect(namesItsOwner("three calm herons", { key: "x", email: "@" })).toBe(false);
  });
});
