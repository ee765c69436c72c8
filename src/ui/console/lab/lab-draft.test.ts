import { describe, expect, it } from "vitest";
import { LAB_DEFAULTS } from "../../../domain/lab/lab-run";
import { type LabDraft, readDraft } from "./lab-draft";

const untouched: LabDraft = {
  symbol: null,
  rate: null,
  seconds: null,
  shards: null,
  producers: null,
  seed: null,
};

describe("what is asked of the lab", () => {
  it("is the command line's traffic when nothing was touched", () => {
    expect(readDraft(untouched)).toEqual({ values: LAB_DEFAULTS, problems: {} });
  });

  it("has a rate that follows the shards until it is typed", () => {
    expect(readDraft({ ...untouched, shards: "3" }).values.rate).toBe(2_820);
    expect(readDraft({ ...untouched, shards: "3", rate: "500" }).values.rate).toBe(500);
  });

  it.each([
    ["rate", "5; DROP", "Orders per second: a whole number from 100 to 10,000."],
    ["rate", "", "Orders per second: a whole number from 100 to 10,000."],
    ["shards", "0", "Shards: a whole number from 2 to 10."],
    ["seconds", "600", "Seconds per scenario: a whole number from 4 to 20."],
    ["symbol", "no symbol", "1 to 12 capital letters and digits."],
  ])("refuses %s of “%s” in words", (name, text, words) => {
    expect(readDraft({ ...untouched, [name]: text }).problems).toEqual({ [name]: words });
  });
});
