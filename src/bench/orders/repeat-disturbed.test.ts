import { describe, expect, it } from "vitest";
import { Disturbance } from "./disturbance";
import { repeatDisturbed } from "./repeat-disturbed";

const runs = (...outcomes: (number | Error)[]) => {
  const left = [...outcomes];
  return async () => {
    const next = left.shift();
    if (next instanceof Error) throw next;
    return next;
  };
};

describe("a part of a benchmark", () => {
  it("that the machine disturbed is run again, and told", async () => {
    const told: string[] = [];
    const run = runs(new Disturbance("the feeder was fenced"), 7);
    expect(await repeatDisturbed("log, round 1", run, told)).toBe(7);
    expect(told).toEqual(["log, round 1: the feeder was fenced"]);
  });

  it("that is disturbed three times ends with the reason, and what to do", async () => {
    const told: string[] = [];
    const run = runs(new Disturbance("fence 1"), new Disturbance("fence 2"), new Disturbance("fence 3"), 7);
    await expect(repeatDisturbed("log, round 1", run, told)).rejects.toThrow(/3 times.*fence 3.*again/);
    expect(told).toHaveLength(3);
  });

  it("that fails for another reason is not run again", async () => {
    const told: string[] = [];
    await expect(repeatDisturbed("log", runs(new Error("out of order"), 7), told)).rejects.toThrow(
      "out of order",
    );
    expect(told).toEqual([]);
  });
});
