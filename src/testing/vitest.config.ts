import { defineConfig } from "vitest/config";

/** `unit`: pure, milliseconds. `db`: real Postgres and Redis. `redisbloom`: the module behind REDIS_URL. */
export default defineConfig({
  root: `${import.meta.dirname}/../..`,
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.{ts,tsx}"],
          sequence: { groupOrder: 0 },
          // Thousands of cases of one property on a machine that does other things as well.
          testTimeout: 30_000,
          exclude: ["src/**/*.db.test.ts", "src/**/*.redisbloom.test.ts"],
        },
      },
      {
        test: {
          name: "db",
          include: ["src/**/*.db.test.ts"],
          globalSetup: ["src/testing/global-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          // Real processes, clocks and sockets on a machine that may be busy: a failed test runs once more, and
          // `npm test` names it.
          retry: process.env.CI ? 1 : 0,
          // After the pure tests: real services want the cores for themselves.
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "redisbloom",
          include: ["src/**/*.redisbloom.test.ts"],
          globalSetup: ["src/testing/global-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
