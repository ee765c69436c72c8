import { describe, expect, it } from "vitest";
import { diffValues } from "./diff-values";

describe("what an audit row changed", () => {
  it("tells changed leaves from those that stayed", () => {
    const diff = diffValues({ role: "viewer", a: { b: 1 } }, { role: "admin", a: { b: 1 } });
    expect(diff.changed).toEqual([{ path: "role", before: "viewer", after: "admin" }]);
    expect(diff.same.map(each => each.path)).toEqual(["a.b"]);
  });

  it("shows what came, went, and what is null, false or empty", () => {
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
