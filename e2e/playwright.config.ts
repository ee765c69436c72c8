import { defineConfig, devices } from "@playwright/test";
import { chromiumPath } from "../src/testing/ensure-chromium";
import { E2E_PORT } from "./start-server";

export default defineConfig({
  testDir: ".",
  globalSetup: "./start-server.ts",
  outputDir: "../test-results",
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // Live load, nine charts without a graphics card and nine processes share two cores: a failed test runs
  // once more, and `npm test` reports it.
  retries: process.env.CI ? 1 : 0,
  reporter: process.env.CI ? "line" : "list",
  timeout: 45_000,
  expect: { timeout: 10_000 },
  // A full shard and an outage of Redis affect every test, so they run after the others. The speed test
  // runs alone and last, because it fills the server with symbols.
  projects: [
    { name: "pages", testIgnore: /outage|suggestions|speed/ },
    { name: "suggestions", testMatch: /suggestions/, dependencies: ["pages"] },
    { name: "outage", testMatch: /outage/, dependencies: ["suggestions"] },
    { name: "speed", testMatch: /speed/, dependencies: ["outage"] },
  ],
  use: {
    ...devices["Desktop Chrome"],
    viewport: { width: 1440, height: 900 },
    baseURL: process.env.E2E_BASE_URL ?? `http://localhost:${E2E_PORT}`,
    reducedMotion: "reduce",
    trace: "retain-on-failure",
    launchOptions: {
      // A closed network can't download the browser of Playwright.
      executablePath: chromiumPath(),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
