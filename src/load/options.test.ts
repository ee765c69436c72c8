import { describe, expect, it } from "vitest";
import { readGateOptions, readOrdersOptions, readScenarioOptions } from "./options";

describe("npm run load -- gate", () => {
  it("has a default for every option", () => {
    expect(readGateOptions([])).toEqual({
      url: "http://localhost:3000",
      rate: 200,
      signups: 5,
      seconds: 60,
      taken: 0.2,
      clients: 0,
      "allow-remote": false,
      json: false,
      compare: false,
    });
  });

  it.each(["http://localhost:3000", "http://127.0.0.1:1", "http://127.8.9.1", "http://[::1]:3000"])(
    "takes %s as this machine",
    url => {
      expect(readGateOptions(["--url", url]).url).toBe(url);
    },
  );

  it.each([
    "http://example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "http://10.0.0.1:3000",
    "http://0.0.0.0:3000",
    "http://user:localhost@example.com",
    "http://[::ffff:10.0.0.1]",
  ])("takes %s only with --allow-remote", url => {
    expect(() => readGateOptions(["--url", url])).toThrow(/--allow-remote/);
    expect(readGateOptions(["--url", url, "--allow-remote"]).url).toMatch(/^http:/);
  });

  it.each([
    [["--rate", "fast"], /--rate fast/],
    [["--rate", "-1"], /--rate|ambiguous/],
    [["--seconds", "0"], /--seconds 0/],
    [["--taken", "1.1"], /--taken/],
    [["--url", "ftp://localhost"], /not an http address/],
    [["--url", "localhost"], /not an http address/],
    [["--no-such"], /no-such/],
    [["orders"], /orders/],
  ])("refuses %j and names the argument", (args, message) => {
    expect(() => readGateOptions(args)).toThrow(message);
  });
});

describe("npm run load -- orders", () => {
  it("reads the options given and has defaults for the others", () => {
    expect(readOrdersOptions(["--symbol", "BTC", "--rate", "2000"])).toMatchObject({
      url: "http://localhost:3000",
      symbol: "BTC",
      rate: 2_000,
      seconds: 60,
    });
  });

  it.each([
    [["--rate", "fast"], "--rate fast"],
    [["--rate", "1000000"], "--rate 1000000"],
    [["--symbol", "doge"], "--symbol doge"],
    [["--url", "http://example.com"], "--allow-remote"],
  ])("refuses %j and names the argument", (args, text) => {
    expect(() => readOrdersOptions(args)).toThrow(text);
  });
});

describe("npm run load -- scenario", () => {
  it("has a default for every option but the scenario", () => {
    expect(readScenarioOptions(["all", "--json"])).toEqual({
      scenario: "all",
      symbol: "DOGE",
      rate: 4_700,
      seconds: 5,
      shards: 5,
      producers: 4,
      seed: 1,
      json: true,
    });
  });

  it.each([
    [[], /random, hash, split, all/],
    [["everything"], /random, hash, split, all/],
    [["all", "--symbol", "doge"], /not a symbol/],
    [["all", "--shards", "0"], /--shards 0 is not a whole number from 1 to 100/],
  ])("refuses %j and names the argument", (args, message) => {
    expect(() => readScenarioOptions(args)).toThrow(message);
  });
});
