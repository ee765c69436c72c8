import { describe, expect, it } from "vitest";
import { OwnerGuard, problemOf } from "./owner-guard";
import { ownerMarkKey } from "./redis-keys";

const own = { installation: "i1", database: "7/16384", databaseName: "floodgate" };

describe("whose Redis it is", () => {
  it("is one's own with the same installation and the same database, in any epoch and under any name", () => {
    expect(problemOf(own, "1 i1 7/16384 floodgate")).toBeNull();
    expect(problemOf(own, "12 i1 7/16384 renamed")).toBeNull();
  });

  it("names the other installation, and the command that takes over", () => {
    const problem = problemOf(own, "1 i2 8/16384 trading");
    expect(problem).toMatch(/another installation .*“trading”.*i2/);
    expect(problem).toMatch(/REDIS_URL/);
    expect(problem).toMatch(/npm run redis-owner -- take/);
  });

  it.each([
    ["another server", "1 i1 8/16384 floodgate"],
    ["another database of the server", "1 i1 7/16999 floodgate"],
  ])("recognises a copied, restored or moved database: %s", (_, mark) => {
    expect(problemOf(own, mark)).toMatch(/of which this one is a copy.*restored or moved/);
  });

  it.each(["", "garbage", "x i1 7/16384 floodgate", "of another type"])("does not trust “%s”", mark => {
    expect(problemOf(own, mark)).toMatch(/can't be read: nothing is written/);
  });

  it("writes nothing before it is known", () => {
    expect(() => new OwnerGuard().mark()).toThrow(/not known yet whose Redis this is/);
    expect(new OwnerGuard().owns("1 i1 7/16384")).toBe(false);
  });
});

describe("the mark of a hash tag", () => {
  it.each([
    ["bf:usernames:{00}:v1", "bf:usernames:{00}:owner"],
    ["bf:usernames:pointer", "bf:usernames:{bf:usernames:pointer}:owner"],
    ["orders:{trades:s1}:meta", "orders:{trades:s1}:owner"],
    ["orders:{trades}:leases:engine", "orders:{trades}:owner"],
    ["{telemetry}:flushed:x", "{telemetry}:owner"],
  ])("of %s is in its slot", (key, mark) => expect(ownerMarkKey(key)).toBe(mark));
});
