import type { EngineRow } from "../contract";
import { formatCount, formatQuantity } from "../parts/format";
import type { State } from "../parts/state-badge";
import { StatusSummary, type SummaryPart } from "../parts/status-summary";
import { engineStateOf } from "./engine-state";

type EngineSummaryProps = { rows: readonly EngineRow[]; isOld: boolean };

/** Is every order matched, once and in order? */
export function EngineSummary({ rows, isOld }: EngineSummaryProps) {
  const by = (word: string) => rows.filter(row => engineStateOf(row).word === word);
  const [wrong, behind, alone] = [by("out of order"), by("behind"), by("no engine")];
  const standing = by("stands still");
  const isCounted = rows.some(({ ordersPerSecond }) => ordersPerSecond !== null);
  const sum = (of: (row: EngineRow) => number | null) => rows.reduce((all, row) => all + (of(row) ?? 0), 0);
  const [state, word]: [State, string] = isOld
    ? ["unknown", "A while ago: the server does not answer"]
    : wrong.length > 0
      ? ["critical", `Orders of ${namesOf(wrong)} came out of order`]
      : standing.length > 0
        ? ["critical", `${namesOf(standing)} can't go on`]
        : alone.length === rows.length
          ? ["unknown", "No engine runs: orders wait in the ordered streams"]
          : alone.length > 0
            ? ["unknown", `Nobody matches ${namesOf(alone)}`]
            : behind.length > 0
              ? ["warning", `The engine of ${namesOf(behind)} does not keep up`]
              : ["ok", "Every order is matched, in order"];
  const violations = sum(row => row.violations);
  const parts: SummaryPart[] = [
    {
      title: "Orders",
      text: isCounted
        ? formatQuantity(
            sum(row => row.ordersPerSecond),
            "perSecond",
          )
        : "no data",
    },
    {
      title: "Behind",
      text: formatQuantity(
        sum(row => row.behind),
        "orders",
      ),
    },
    { title: "Trades", text: formatCount(sum(row => row.trades)) },
    { title: "Rejects", text: formatCount(sum(row => row.rejects)) },
    {
      title: "Order violations",
      state: violations > 0 ? "critical" : "ok",
      text: formatCount(violations),
    },
  ];
  return <StatusSummary state={state} word={word} parts={parts} />;
}

function namesOf(rows: readonly EngineRow[]): string {
  const [first, second, ...more] = rows.map(({ symbol }) => symbol);
  if (second === undefined) return first ?? "";
  return more.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${more.length} more`;
}
