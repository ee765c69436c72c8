import type { SymbolList } from "../contract";
import { AutomaticDialog } from "./automatic-dialog";
import { DismissDialog } from "./dismiss-dialog";
import SplitDialog from "./split-dialog";
import type { Ask } from "./symbol-columns";

type AskedSymbolProps = { symbol: string | null; ask: Ask | null; list: SymbolList; onClose: () => void };

/** The dialog of what is asked about a symbol. All of them stay, to close and give the focus back. */
export default function AskedSymbol({ symbol, ask, list, onClose }: AskedSymbolProps) {
  const row = list.rows.find(one => one.symbol === symbol);
  const isSplit = ask === "hot" || ask === "cool";
  return (
    <>
      <SplitDialog
        symbol={isSplit ? symbol : null}
        ask={ask === "cool" ? "cool" : "hot"}
        list={list}
        onClose={onClose}
      />
      <DismissDialog row={ask === "dismiss" ? row : undefined} onClose={onClose} />
      <AutomaticDialog
        row={ask === "auto" ? row : undefined}
        shardCount={list.shards.length}
        onClose={onClose}
      />
    </>
  );
}
