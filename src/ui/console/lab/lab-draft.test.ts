import { describe, expect, it } from "vitest";
import { LAB_DEFAULTS } from "../../../domain/lab/lab-run";
import { type LabDraft, readDraft } from "./lab-draft";

const unedited: LabDraft = {
  symbol: null,
  rate: null,
  seconds: null,
  shards: null,
  producers: null,
  seed: null,
};

describe("the draft of a run", () => {
  it("has the defaults of the command line when nothing was edited", () => {
    expect(readDraft(unedited)).toEqual({ values: LAB_DEFAULTS, problems: {} });
  });

  it("has a rate that follows the shards until it is typed", () => {
    expect(readDraft({ ...unedited, shards: "3" }).values.rate).toBe(2_820);
    expect(readDraft({ ...unedited, shards: "3", rate: "500" }).values.rate).toBe(500);
  });

  it.each([
    ["rate", "5; DROP", "Orders per second: a whole number from 100 to 10,000."],
    ["rate", "", "Orders per second: a whole number from 100 to 10,000."],
    ["shards", "0", "Shards: a whole number from 2 to 10."],
    ["seconds", "600", "Seconds per scenario: a whole number from 4 to 20."],
    ["symbol", "no symbol", "1 to 12 capital letters and digits."],
  ])("refuses %s of “%s” with a reason", (name, text, words) => {
    expect(readDraft({ ...unedited, [name]: text }).problems).toEqual({ [name]: words });
  });
});
