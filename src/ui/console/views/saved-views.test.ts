import { describe, expect, it } from "vitest";
import { MAX_VIEWS, nameProblem, queryOf, readViews, withView } from "./saved-views";

const hot = { name: "Hot", query: "state=hot" };
const many = Array.from({ length: MAX_VIEWS }, (_, n) => ({ name: `v${n}`, query: "" }));

describe("saved views", () => {
  it.each([null, "", "{", "7", '{"name":"Hot"}', '[7, null, {"name":""}, {"name":"x"}]'])(
    "%j in storage is no view",
    text => {
      expect(readViews(text)).toEqual([]);
    },
  );

  it("come back as they were saved, and no more than fit", () => {
    expect(readViews(JSON.stringify([hot]))).toEqual([hot]);
    expect(readViews(JSON.stringify([...many, hot]))).toEqual(many);
  });

  it("replace one of the same name", () => {
    const cold = { name: "Hot", query: "state=cold" };
    expect(withView([hot, ...many.slice(0, 1)], cold)).toEqual([...many.slice(0, 1), cold]);
  });

  it("need a name, and room", () => {
    expect(nameProblem([], " ")).toBe("Type a name first.");
    expect(nameProblem([], "x".repeat(25))).toContain("24 characters");
    expect(nameProblem(many, "another")).toContain("remove one first");
    expect(nameProblem(many, " v3 ")).toBeUndefined();
  });

  it("are equal when they ask for the same", () => {
    expect(queryOf({ search: "", state: "hot", sort: null, order: "asc" })).toBe("state=hot&order=asc");
    expect(queryOf({ search: "a&b=c" })).toBe("search=a%26b%3Dc");
  });
});
