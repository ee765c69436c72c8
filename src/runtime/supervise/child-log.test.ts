import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { followOutput, LogFile, readableLine } from "./child-log";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "floodgate-log-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const WARNING =
  '{"level":"warn","time":"2026-01-02T03:04:05.678Z","pid":7,"hostname":"h","name":"relay","err":{"message":"closed"},"attempt":2,"msg":"redis connection failed"}';

describe("a line of the log", () => {
  it("is readable from warning on", () => {
    expect(readableLine(WARNING)).toBe("03:04:05 warn relay redis connection failed: closed attempt=2");
  });

  it.each(['{"level":"info","msg":"started"}', "plain text", "{broken", ""])("is not shown: %s", line => {
    expect(readableLine(line)).toBeNull();
  });
});

it("keeps every line in the file, and shows warnings and stderr", async () => {
  const file = new LogFile(join(folder, "relay.log"));
  const show = vi.fn();
  const info = '{"level":"info","msg":"started"}';
  followOutput(
    { stdout: Readable.from([`${info}\n${WARNING}\n`]), stderr: Readable.from(["oh\n"]) },
    file,
    show,
  );
  await vi.waitFor(() => expect(show).toHaveBeenCalledTimes(2));
  expect(show.mock.calls.flat().sort()).toEqual([readableLine(WARNING), "oh"].sort());
  expect(readFileSync(file.path, "utf8").trim().split("\n").sort()).toEqual([info, WARNING, "oh"].sort());
});

it("is bounded: the file before is kept, older lines go", () => {
  const file = new LogFile(join(folder, "relay.log"), 30);
  for (let n = 0; n < 10; n += 1) file.append(`line number ${n}`);
  expect(readFileSync(file.path, "utf8")).toBe("line number 8\nline number 9\n");
  expect(readFileSync(`${file.path}.1`, "utf8")).toBe("line number 6\nline number 7\n");
});

it("continues when the file cannot be written", () => {
  expect(() => new LogFile(join(folder, "missing", "relay.log")).append("x")).not.toThrow();
});
