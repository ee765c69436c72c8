import { describe, expect, it } from "vitest";
import { readLoadOptions } from "./options";

describe("npm run load -- gate", () => {
  it("needs nothing else", () => {
    expect(readLoadOptions(["gate"])).toEqual({
      url: "http://localhost:3000",
      rate: 200,
      signups: 5,
      seconds: 60,
      taken: 0.2,
      clients: 0,
      json: false,
      judge: false,
    });
  });

  it.each(["http://localhost:3000", "http://127.0.0.1:1", "http://127.8.9.1", "http://[::1]:3000"])(
    "%s is this machine",
    url => {
      expect(readLoadOptions(["gate", "--url", url]).url).toBe(url);
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
  ])("%s needs --allow-remote", url => {
    expect(() => readLoadOptions(["gate", "--url", url])).toThrow(/--allow-remote/);
    expect(readLoadOptions(["gate", "--url", url, "--allow-remote"]).url).toMatch(/^http:/);
  });

  it.each([
    [["--rate", "fast"], /--rate fast/],
    [["--rate", "-1"], /--rate|ambiguous/],
    [["--seconds", "0"], /--seconds 0/],
    [["--taken", "1.1"], /--taken/],
    [["--url", "ftp://localhost"], /not an http address/],
    [["--url", "localhost"], /not an http address/],
    [["--no-such"], /no-such/],
    [["orders"], /There is one load/],
  ])("%j is refused in words", (args, message) => {
    expect(() => readLoadOptions(["gate", ...args])).toThrow(message);
  });
});
