import { describe, expect, it } from "vitest";
import { z } from "zod";
import { flag, numberOption, readOptions, UsageError, wholeNumberOption } from "./read-options";

const schema = z.object({
  rate: wholeNumberOption(1, 100_000).default(10),
  taken: numberOption(0, 1).optional(),
  engine: z.enum(["bitmap", "redisbloom"], "is not bitmap or redisbloom.").optional(),
  json: flag,
});

describe("readOptions", () => {
  it("reads options, flags, defaults and positionals", () => {
    const args = ["plan", "--rate", "20_000", "--json", "--engine=bitmap"];
    expect(readOptions(args, schema, 1)).toEqual({
      options: { rate: 20_000, engine: "bitmap", json: true },
      positionals: ["plan"],
    });
    expect(readOptions([], schema).options).toEqual({ rate: 10, json: false });
  });

  it.each([
    [["--rate", "fast"], "--rate fast is not a whole number from 1 to 100000."],
    [["--rate", "1.5"], "--rate 1.5 is not a whole number from 1 to 100000."],
    [["--rate", ""], "--rate is not a whole number from 1 to 100000."],
    [["--taken", "1.1"], "--taken 1.1 is not a number from 0 to 1."],
    [["--engine", "cuckoo"], "--engine cuckoo is not bitmap or redisbloom."],
    [["--no-such"], "--no-such"],
    [["--rate"], "--rate"],
    [["--json=yes"], "--json"],
    [["surplus"], "Unexpected argument: surplus"],
  ])("refuses %j and names the argument", (args, message) => {
    expect(() => readOptions(args, schema)).toThrow(UsageError);
    expect(() => readOptions(args, schema)).toThrow(message);
  });
});
