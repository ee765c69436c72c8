import { expect, it } from "vitest";
import {
  databaseProblem,
  endsConnection,
  isOutcomeUnknown,
  isPassing,
  retryRollbacks,
  sqlStateOf,
} from "./database-error";

/** The three shapes in which one error of Postgres arrives. */
const shapesOf = (code: string): [string, unknown][] => [
  ["pg", Object.assign(new Error("raised"), { code, severity: "ERROR" })],
  [
    "Prisma",
    Object.assign(new Error("failed"), {
      name: "PrismaClientKnownRequestError",
      code: "P2010",
      meta: {
        driverAdapterError: { name: "DriverAdapterError", cause: { kind: "postgres", originalCode: code } },
      },
    }),
  ],
  ["a wrapped error", new Error("outside", { cause: { cause: { code } } })],
];

const TABLE = {
  busy: [
    "08000",
    "08006",
    "53100",
    "53200",
    "53300",
    "58030",
    "25006",
    "55P03",
    "57014",
    "57P01",
    "57P03",
    "25P03",
  ],
  again: ["40001", "40P01"],
  unique: ["23505"],
  other: ["23503", "42P01", "22P02", "P0001", "XX000", "57000", "25001"],
};

it.each(
  Object.entries(TABLE).flatMap(([problem, codes]) =>
    codes.flatMap(code => shapesOf(code).map(([shape, error]) => [problem, code, shape, error] as const)),
  ),
)("says %s for %s from %s", (problem, code, _, error) => {
  expect(sqlStateOf(error)).toBe(code);
  expect(databaseProblem(error)).toBe(problem);
  expect(isPassing(error)).toBe(problem === "busy" || problem === "again");
});

it.each([
  ["08006", true],
  ["08003", true],
  ["40003", true],
  ["57P01", true],
  ["57P02", true],
  // Refused before anything was done, or rolled back.
  ["08001", false],
  ["08004", false],
  ["57P03", false],
  ["53300", false],
  ["25006", false],
  ["55P03", false],
  ["57014", false],
  ["40001", false],
  ["23505", false],
])("after %s: a change may have been committed: %s", (code, isUnknown) => {
  for (const [, error] of shapesOf(code)) expect(isOutcomeUnknown(error)).toBe(isUnknown);
});

it.each([
  [{ message: "Connection terminated unexpectedly" }, true],
  [{ message: "Query read timeout" }, true],
  [{ code: "ECONNRESET" }, true],
  [{ code: "P1017" }, true],
  [{ code: "ECONNREFUSED" }, false],
  [{ message: "timeout exceeded when trying to connect" }, false],
  [{ message: "another error" }, false],
])("after %j without a SQLSTATE: a change may have been committed: %s", (fields, isUnknown) => {
  expect(isOutcomeUnknown(Object.assign(new Error("x"), fields))).toBe(isUnknown);
});

it.each([
  ["P2028", "busy"],
  ["P2034", "again"],
  ["ECONNREFUSED", "busy"],
  ["P2025", null],
  ["E2BIG", null],
])("says what %s means without a SQLSTATE", (code, problem) => {
  expect(databaseProblem(Object.assign(new Error("x"), { code }))).toBe(problem);
});

it("is calm about what is no error of the database, and about circles", () => {
  const circle: { cause?: unknown } = {};
  circle.cause = circle;
  for (const thrown of [null, undefined, "57P01", 7, new Error("57P01"), circle])
    expect(databaseProblem(thrown)).toBeNull();
});

it("closes connections of servers that stop or are read-only, and no others", () => {
  expect(["25006", "57P01", "57P02", "57P03"].every(endsConnection)).toBe(true);
  expect(["57014", "40001", "53300", "23505"].some(endsConnection)).toBe(false);
});

it("repeats what was rolled back for another one, at most twice, and nothing else", async () => {
  const failing = (code: string, times: number) => {
    let tries = 0;
    const work = async () => {
      tries += 1;
      if (tries <= times) throw Object.assign(new Error("raised"), { code });
      return tries;
    };
    return { work, tries: () => tries };
  };
  expect(await retryRollbacks(failing("40001", 2).work)).toBe(3);
  const always = failing("40P01", 9);
  await expect(retryRollbacks(always.work)).rejects.toThrow("raised");
  expect(always.tries()).toBe(3);
  const busy = failing("53300", 9);
  await expect(retryRollbacks(busy.work)).rejects.toThrow("raised");
  expect(busy.tries()).toBe(1);
});
