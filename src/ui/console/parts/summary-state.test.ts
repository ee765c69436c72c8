import { expect, it } from "vitest";
import { worstState } from "./summary-state";

it("returns the worst state of the parts, and ok without any", () => {
  expect(worstState([])).toBe("ok");
  expect(worstState([{}, { state: "ok" }])).toBe("ok");
  expect(worstState([{ state: "ok" }, { state: "unknown" }])).toBe("unknown");
  expect(worstState([{ state: "warning" }, { state: "unknown" }])).toBe("warning");
  expect(worstState([{ state: "warning" }, { state: "critical" }, { state: "ok" }])).toBe("critical");
});
