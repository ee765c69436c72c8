import { Dialog } from "../parts/dialog";
import { NAV_ITEMS } from "./nav-items";

const COMMON = [
  ["Ctrl K", "Search pages and actions"],
  ["?", "Show the keyboard shortcuts"],
  ["/", "Search on this page"],
  ["Esc", "Close the dialog"],
  ["↑ ↓", "Move between rows of a table"],
  ["Enter", "Open the row"],
  ["← →", "Move the cursor of a chart, or of the shard map"],
] as const;

export default function ShortcutsDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <dl className="facts">
        {COMMON.map(([keys, text]) => (
          <Row key={keys} keys={keys.split(" ")} text={text} />
        ))}
        {NAV_ITEMS.map(({ key, title }) => (
          <Row key={key} keys={["g", key]} text={`Go to ${title}`} />
        ))}
      </dl>
    </Dialog>
  );
}

function Row({ keys, text }: { keys: string[]; text: string }) {
  return (
    <>
      <dt className="flex gap-1">
        <kbd className="kbd">{keys[0]}</kbd>
        {keys[1] && <kbd className="kbd">{keys[1]}</kbd>}
      </dt>
      <dd>{text}</dd>
    </>
  );
}
