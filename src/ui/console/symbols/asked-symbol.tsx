import type { SymbolRow } from "../contract";
import { AutomaticDialog } from "./automatic-dialog";
import { DismissDialog } from "./dismiss-dialog";
import SplitDialog from "./split-dialog";
import type { Ask } from "./symbol-columns";

type AskedSymbolProps = {
  symbol: string | null;
  ask: Ask | null;
  /** Null: there is no such symbol; undefined: not read yet. */
  row: SymbolRow | null | undefined;
  shardCount: number;
  onClose: () => void;
};

/** The dialogs about a symbol. All of them stay mounted, so that a closed one gives the focus back. */
export default function AskedSymbol({ symbol, ask, row, shardCount, onClose }: AskedSymbolProps) {
  const isSplit = ask === "split" || ask === "merge";
  return (
    <>
      <SplitDialog
        symbol={isSplit ? symbol : null}
        ask={ask === "merge" ? "merge" : "split"}
        row={row}
        shardCount={shardCount}
        onClose={onClose}
      />
      <DismissDialog row={ask === "dismiss" ? (row ?? undefined) : undefined} onClose={onClose} />
      <AutomaticDialog
        row={ask === "automatic" ? (row ?? undefined) : undefined}
        shardCount={shardCount}
        onClose={onClose}
      />
    </>
  );
}
