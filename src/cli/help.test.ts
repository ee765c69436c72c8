import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const SRC = join(import.meta.dirname, "..");

it.each([
  ["cli/filter.ts", "--help", "npm run filter"],
  ["cli/symbols.ts", "-h", "npm run symbols"],
  ["cli/shards.ts", "--help", "npm run shards"],
  ["cli/user.ts", "--help", "npm run user"],
  ["cli/users.ts", "-h", "npm run users"],
  ["cli/redis-owner.ts", "--help", "npm run redis-owner"],
  ["load/main.ts", "--help", "npm run load"],
  ["load/main.ts", "--help gate", "npm run load -- gate"],
  ["bench/main.ts", "--help", "npm run bench"],
])("%s %s prints how it is used, without a single variable", async (main, args, usage) => {
  const { stdout, stderr } = await run(
    process.execPath,
    ["--import", "tsx", join(SRC, main)].concat(args.split(" ")),
    { env: { PATH: process.env.PATH, NODE_ENV: "test" } },
  );
  expect(stdout).toContain(`Usage: ${usage}`);
  expect(stderr).toBe("");
});
