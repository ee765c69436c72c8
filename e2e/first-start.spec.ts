import { expect, test } from "@playwright/test";

/** Recorded by start-server.ts, before the tests of all other files. */
const { E2E_START_OUTPUT: output = "", E2E_START_LOGS: warnings = "" } = process.env;
test.skip(process.env.E2E_BASE_URL !== undefined, "the server under test was started elsewhere");

const STEP = / {2}(Postgres and Redis|Build \(.*\)|Database schema|Server and workers) … \d+\.\d s\n/;

test("a first start prints its steps, the addresses, and the password last", () => {
  const expected = new RegExp(
    [
      "^\\nStarting Floodgate\\n\\n",
      `(${STEP.source})+`,
      "\\n {2}Floodgate is running\\n\\n",
      "( {4}(sign-up|console|data|logs) +\\S+\\n)+",
      "\\n {2}Ctrl-C stops everything\\.\\n",
      "\\n {2}The first administrator, .*\\n\\n",
      " {4}username {2}admin\\n {4}password {2}\\S+\\n+$",
    ].join(""),
  );
  expect(output).toMatch(expected);
});

test("a first start writes no warning", () => {
  expect(warnings).toBe("");
});
