import { describe, expect, it } from "vitest";
import type { LabRunView } from "../contract";
import { stateIn } from "./card-state";

const run = { state: "running", choices: ["random", "hash", "splitPlain"], results: {}, progress: null };
const seen = (part: object) => ({ ...run, ...part }) as unknown as LabRunView;

describe("a scenario's card", () => {
  it("promises no turn while nobody has asked for a run", () => {
    expect(stateIn(null, "random")).toEqual({ state: "idle", figures: null });
  });

  it("waits in a run that goes on, and has no figures until it runs", () => {
    expect(stateIn(seen({}), "hash")).toEqual({ state: "waits", figures: null });
    const figures = { recordsPerShard: [1, 2] };
    const going = seen({ progress: { choice: "hash", figures, elapsedMs: 5 } });
    expect(stateIn(going, "hash")).toEqual({ state: "runs", figures });
    expect(stateIn(going, "splitPlain").state).toBe("waits");
  });

  it.each(["cancelled", "failed", "done"])(
    "was missed in a run that is %s, unless it was left out",
    state => {
      expect(stateIn(seen({ state }), "hash")).toEqual({ state: "missed", figures: null });
      expect(stateIn(seen({ state, choices: ["random"] }), "hash").state).toBe("never");
    },
  );
});
