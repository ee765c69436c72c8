import { describe, expect, it } from "vitest";
import type { LabRunView } from "../contract";
import { stateIn } from "./card-state";

const run = { state: "running", choices: ["random", "hash", "splitPlain"], results: {}, progress: null };
const view = (part: object) => ({ ...run, ...part }) as unknown as LabRunView;

describe("a scenario's card", () => {
  it("is idle without a run", () => {
    expect(stateIn(null, "random")).toEqual({ state: "idle", figures: null });
  });

  it("is queued in an open run, and has figures when it runs", () => {
    expect(stateIn(view({}), "hash")).toEqual({ state: "queued", figures: null });
    const figures = { recordsPerShard: [1, 2] };
    const going = view({ progress: { choice: "hash", figures, elapsedMs: 5 } });
    expect(stateIn(going, "hash")).toEqual({ state: "running", figures });
    expect(stateIn(going, "splitPlain").state).toBe("queued");
  });

  it.each(["cancelled", "failed", "done"])(
    "is missed in a run that is %s, unless the run does not have it",
    state => {
      expect(stateIn(view({ state }), "hash")).toEqual({ state: "missed", figures: null });
      expect(stateIn(view({ state, choices: ["random"] }), "hash").state).toBe("excluded");
    },
  );
});
