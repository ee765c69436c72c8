import type { EngineRow } from "../contract";
import { formatCount, formatQuantity } from "../parts/format";
import type { State } from "../parts/state-badge";
import type { SummaryPart } from "../parts/status-summary";
import { worstState } from "../parts/summary-state";
import { type EngineState, engineStateOf } from "./engine-state";

type EngineSummary = { state: State; word: string; parts: SummaryPart[] };

/** The state of all engines is the worst of its parts. */
export function summarizeEngines(rows: readonly EngineRow[]): EngineSummary {
  const parts = partsOf(rows);
  return { state: worstState(parts), word: wordOf(rows), parts };
}

const pick = (rows: readonly EngineRow[], word: EngineState["word"]) =>
  rows.filter(row => engineStateOf(row).word === word);

function wordOf(rows: readonly EngineRow[]): string {
  const outOfOrder = pick(rows, "out of order");
  if (outOfOrder.length > 0) return `Out of order: ${namesOf(outOfOrder)}`;
  const stopped = pick(rows, "stopped");
  if (stopped.length > 0) return `Stopped: ${namesOf(stopped)}`;
  const lagging = pick(rows, "lagging");
  if (lagging.length > 0) return `Lagging: ${namesOf(lagging)}`;
  const missing = pick(rows, "not running");
  if (missing.length === rows.length) return "No engine is running: orders wait in the ordered streams";
  if (missing.length > 0) return `Not running: ${namesOf(missing)}`;
  return "All orders are matched in order";
}

function partsOf(rows: readonly EngineRow[]): SummaryPart[] {
  const sum = (of: (row: EngineRow) => number | null) => rows.reduce((all, row) => all + (of(row) ?? 0), 0);
  const isCounted = rows.some(({ ordersPerSecond }) => ordersPerSecond !== null);
  const orderRate = sum(row => row.ordersPerSecond);
  const backlog = sum(row => row.behind);
  const violations = sum(row => row.violations);
  return [
    enginesPart(rows),
    { title: "Order rate", text: isCounted ? formatQuantity(orderRate, "perSecond") : "no data" },
    {
      title: "Backlog",
      state: pick(rows, "lagging").length > 0 ? "warning" : "ok",
      text: formatQuantity(backlog, "orders"),
    },
    { title: "Trades", text: formatCount(sum(row => row.trades)) },
    { title: "Rejects", text: formatCount(sum(row => row.rejects)) },
    { title: "Order violations", state: violations > 0 ? "critical" : "ok", text: formatCount(violations) },
  ];
}

function enginesPart(rows: readonly EngineRow[]): SummaryPart {
  const running = rows.filter(({ book }) => book).length;
  const hasProblem = rows.some(({ problem }) => problem !== null);
  const isComplete = rows.length > 0 && running === rows.length;
  return {
    title: "Engines",
    state: hasProblem ? "critical" : isComplete ? "ok" : "unknown",
    text: `${formatCount(running)} of ${formatCount(rows.length)} running`,
  };
}

function namesOf(rows: readonly EngineRow[]): string {
  const [first, second, ...more] = rows.map(({ symbol }) => symbol);
  if (second === undefined) return first ?? "";
  return more.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${more.length} more`;
}
