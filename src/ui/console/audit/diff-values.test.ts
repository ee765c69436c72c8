import { describe, expect, it } from "vitest";
import { diffValues } from "./diff-values";

describe("diffValues", () => {
  it("separates changed leaves from unchanged ones", () => {
    const diff = diffValues({ role: "viewer", a: { b: 1 } }, { role: "admin", a: { b: 1 } });
    expect(diff.changed).toEqual([{ path: "role", before: "viewer", after: "admin" }]);
    expect(diff.same.map(each => each.path)).toEqual(["a.b"]);
  });

  it("keeps added and removed leaves, and null, false and empty values", () => {
    expect(diffValues(null, { disabledAt: null, list: [] }).changed).toEqual([
      { path: "disabledAt", before: undefined, after: "null" },
      { path: "list", before: undefined, after: "[]" },
    ]);
    expect(diffValues({ off: false }, undefined).changed).toEqual([
      { path: "off", before: "false", after: undefined },
    ]);
    expect(diffValues(null, null)).toEqual({ changed: [], same: [] });
  });
});
