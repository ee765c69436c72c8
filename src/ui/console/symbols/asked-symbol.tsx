import type { SymbolRow } from "../contract";
import { AutomaticDialog } from "./automatic-dialog";
import { DismissDialog } from "./dismiss-dialog";
import SplitDialog from "./split-dialog";
import type { Ask } from "./symbol-columns";

type AskedSymbolProps = {
  symbol: string | null;
  ask: Ask | null;
  /** Null where there is none of that name; undefined until it is read. */
  row: SymbolRow | null | undefined;
  shardCount: number;
  onClose: () => void;
};

/** The dialog of what is asked about a symbol. All of them stay, to close and give the focus back. */
export default function AskedSymbol({ symbol, ask, row, shardCount, onClose }: AskedSymbolProps) {
  const isSplit = ask === "hot" || ask === "cool";
  return (
    <>
      <SplitDialog
        symbol={isSplit ? symbol : null}
        ask={ask === "cool" ? "cool" : "hot"}
        row={row}
        shardCount={shardCount}
        onClose={onClose}
      />
      <DismissDialog row={ask === "dismiss" ? (row ?? undefined) : undefined} onClose={onClose} />
      <AutomaticDialog
        row={ask === "auto" ? (row ?? undefined) : undefined}
        shardCount={shardCount}
        onClose={onClose}
      />
    </>
  );
}
