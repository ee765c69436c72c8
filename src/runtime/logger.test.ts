import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** A child, since pino writes to the descriptor itself. */
const script = (code: string) => [
  "--import",
  "tsx",
  "--input-type=module",
  "-e",
  `import { createLogger } from ${JSON.stringify(join(import.meta.dirname, "logger.ts"))}; ${code}`,
];

test("writes JSON with readable level and time, and hides secrets", () => {
  const code = `
    const logger = createLogger("relay", "warn");
    logger.info("not shown");
    logger.warn({ password: "hunter22", client: { token: "abcd" }, count: 3, err: new Error("oh") }, "hello");`;
  const output = execFileSync(process.execPath, script(code), { encoding: "utf8" });
  const entry = JSON.parse(output);
  expect(entry).toMatchObject({
    level: "warn",
    name: "relay",
    msg: "hello",
    count: 3,
    err: { message: "oh" },
  });
  expect(Date.parse(entry.time)).toBeGreaterThan(0);
  expect(output).not.toMatch(/hunter22|abcd/);
});

test.skipIf(process.platform !== "linux")(
  "an output that fails neither ends the process nor holds it up",
  () => {
    const full = openSync("/dev/full", "w");
    const code = `
    const logger = createLogger("relay");
    logger.info("one");
    logger.info("two");
    process.exit(5);`;
    const { status } = spawnSync(process.execPath, script(code), {
      stdio: ["ignore", full, "pipe"],
      timeout: 10_000,
    });
    closeSync(full);
    expect(status).toBe(5);
  },
);
