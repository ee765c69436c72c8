import { useState } from "react";
import type { SymbolRow } from "../contract";
import { Dialog } from "../parts/dialog";
import { SplitForm } from "./split-form";

type SplitDialogProps = {
  symbol: string | null;
  ask: "split" | "merge";
  row: SymbolRow | null | undefined;
  shardCount: number;
  onClose: () => void;
};

export default function SplitDialog({ symbol, ask, row, shardCount, onClose }: SplitDialogProps) {
  // After a change by another user the form starts again from the new state.
  const [round, setRound] = useState(0);
  const title =
    ask === "merge"
      ? `Cool down ${symbol}`
      : (row?.factor ?? 1) > 1
        ? `Change the split of ${symbol}`
        : `Mark ${symbol} hot`;
  return (
    <Dialog open={symbol !== null} onClose={onClose} title={title}>
      {row ? (
        <SplitForm
          key={`${row.symbol} ${ask} ${round}`}
          row={row}
          ask={ask}
          shardCount={shardCount}
          onAgain={() => setRound(round + 1)}
          onClose={onClose}
        />
      ) : (
        row === null && <p>There is no symbol “{symbol}”.</p>
      )}
    </Dialog>
  );
}
