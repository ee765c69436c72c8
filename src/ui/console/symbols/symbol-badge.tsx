import { needsSplit } from "../../../domain/orders/symbol-heat";
import type { SymbolRow, SymbolState } from "../contract";
import { type State, StateBadge } from "../parts/state-badge";

export const STATE_HINTS: Record<SymbolState, string> = {
  cold: "Uses less than a tenth of one shard.",
  warm: "Worth watching; one shard takes it.",
  hot: "One shard could not take it with room for a burst.",
  mergeable: "Still split, though one shard would take it by now.",
  unknown: "No server has reported in the last seconds.",
};

export function SymbolBadge({ row }: { row: SymbolRow }) {
  const tone: State =
    row.state === "unknown"
      ? "unknown"
      : needsSplit(row)
        ? "critical"
        : row.state === "mergeable"
          ? "warning"
          : "ok";
  return (
    <StateBadge
      state={tone}
      word={row.state === "mergeable" ? "can merge" : row.state}
      title={STATE_HINTS[row.state]}
    />
  );
}
