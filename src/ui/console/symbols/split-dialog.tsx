import { useState } from "react";
import type { SymbolRow } from "../contract";
import { Dialog } from "../parts/dialog";
import { SplitForm } from "./split-form";

type SplitDialogProps = {
  symbol: string | null;
  ask: "hot" | "cool";
  row: SymbolRow | null | undefined;
  shardCount: number;
  onClose: () => void;
};

export default function SplitDialog({ symbol, ask, row, shardCount, onClose }: SplitDialogProps) {
  // After somebody else's change the form begins anew, from what is true then.
  const [round, setRound] = useState(0);
  const title =
    ask === "cool"
      ? `Cool ${symbol} down`
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
