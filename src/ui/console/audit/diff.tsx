import type { Column } from "../parts/data-table";
import { SimpleTable } from "../parts/simple-table";
import { type Change, diffValues } from "./diff-values";

const columns: Column<Change>[] = [
  { id: "path", title: "Field", cell: ({ path }) => <span className="code">{path}</span> },
  {
    id: "before",
    title: "Before",
    cell: change => <Value change={change} side="before" />,
  },
  { id: "after", title: "After", cell: change => <Value change={change} side="after" /> },
];

/** Before and after side by side, changes first. */
export function Diff({ before, after }: { before: unknown; after: unknown }) {
  const { changed, same } = diffValues(before, after);
  if (changed.length + same.length === 0) return <p className="text-soft">Nothing was changed.</p>;
  return (
    <SimpleTable
      label="Changed fields"
      className="rounded border border-line"
      columns={columns}
      rows={[...changed, ...same]}
      rowKey={({ path }) => path}
    />
  );
}

function Value({ change, side }: { change: Change; side: "before" | "after" }) {
  const value = change[side];
  if (value === undefined) return <span className="text-faint">–</span>;
  const isSame = change.before === change.after;
  const look = "code block py-1.5 whitespace-normal";
  if (isSame) return <span className={`${look} text-soft`}>{value}</span>;
  return side === "before" ? (
    <del className={`${look} text-critical`}>{value}</del>
  ) : (
    <ins className={`${look} text-ok no-underline`}>{value}</ins>
  );
}
