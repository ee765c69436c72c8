import { describe, it } from "vitest";
import { assertAnyInterleaving, assertWithoutFences } from "../testing/any-interleaving";

/** Some cases with every change; any-interleaving.db.test.ts runs thousands. */
describe("the engine's input under random failures", () => {
  it("is complete, once, and in order, on a log with fences", { timeout: 240_000 }, () =>
    assertAnyInterleaving(120),
  );

  it(
    "is once and in order on a log without fences, and late orders become dead letters",
    { timeout: 240_000 },
    () => assertWithoutFences(120),
  );
});
