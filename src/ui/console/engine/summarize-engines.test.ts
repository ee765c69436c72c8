import { describe, expect, it } from "vitest";
import type { EngineRow } from "../contract";
import { summarizeEngines } from "./summarize-engines";

const row = (symbol: string, change: Partial<EngineRow> = {}) =>
  ({
    symbol,
    book: {},
    problem: null,
    behind: 0,
    ordersPerSecond: 10,
    trades: 1,
    rejects: 0,
    violations: 0,
    ...change,
  }) as EngineRow;
const missing = { book: null, ordersPerSecond: null };

describe("the summary of all engines", () => {
  it.each([
    [[row("ADA"), row("BTC")], "ok", "All orders are matched in order"],
    [[row("ADA", { behind: 900 }), row("BTC")], "warning", "Lagging: ADA"],
    [[row("ADA", missing), row("BTC")], "unknown", "Not running: ADA"],
    [[row("ADA", missing), row("BTC", { behind: 900 })], "warning", "Lagging: BTC"],
    [[row("ADA", missing)], "unknown", "No engine is running: orders wait in the ordered streams"],
    [[], "unknown", "No engine is running: orders wait in the ordered streams"],
    [[row("ADA", { book: null, problem: "a gap" }), row("BTC", { behind: 900 })], "critical", "Stopped: ADA"],
    [[row("ADA", { problem: "a gap" }), row("BTC", { violations: 1 })], "critical", "Out of order: BTC"],
    [
      ["A", "B", "C", "D"].map(name => row(name, missing)).concat(row("E")),
      "unknown",
      "Not running: A, B and 2 more",
    ],
  ] as const)("of %j is %s: %s", (rows, state, word) => {
    expect(summarizeEngines(rows)).toMatchObject({ state, word });
  });

  it("adds up the figures", () => {
    const rows = [row("ADA", { behind: 3, rejects: 2 }), row("BTC", { behind: null })];
    expect(summarizeEngines(rows).parts.map(({ title, text }) => `${title} ${text}`)).toEqual([
      "Engines 2 of 2 running",
      "Order rate 20 /s",
      "Backlog 3 orders",
      "Trades 2",
      "Rejects 2",
      "Order violations 0",
    ]);
  });
});
