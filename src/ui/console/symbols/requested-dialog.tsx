import type { SymbolRow } from "../contract";
import { Dialog } from "../parts/dialog";
import { AutomaticDialog } from "./automatic-dialog";
import { DismissDialog } from "./dismiss-dialog";
import { ListingDialog } from "./listing-dialog";
import { SplitDialog } from "./split-dialog";
import type { SymbolRequest } from "./symbol-columns";

type RequestedDialogProps = {
  symbol: string;
  request: SymbolRequest;
  /** Null: there is no such symbol; undefined: not read yet. */
  row: SymbolRow | null | undefined;
  shardCount: number;
  onClose: () => void;
};

/** The dialog of the requested change of a symbol. */
export default function RequestedDialog({ symbol, request, row, shardCount, onClose }: RequestedDialogProps) {
  if (row === undefined) return null;
  if (row === null) {
    return (
      <Dialog open onClose={onClose} title={symbol}>
        <p>There is no symbol “{symbol}”.</p>
      </Dialog>
    );
  }
  switch (request) {
    case "dismiss":
      return <DismissDialog row={row} onClose={onClose} />;
    case "automatic":
      return <AutomaticDialog row={row} shardCount={shardCount} onClose={onClose} />;
    case "halt":
    case "resume":
    case "delist":
      return <ListingDialog request={request} row={row} onClose={onClose} />;
    default:
      return <SplitDialog request={request} row={row} shardCount={shardCount} onClose={onClose} />;
  }
}
