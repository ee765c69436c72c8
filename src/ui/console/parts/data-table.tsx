"use client";

import { ArrowDown, ArrowUp } from "lucide-react";
import type { KeyboardEvent, ReactNode } from "react";
import { Failure } from "./failure";
import { Pager } from "./pager";
import { ScrollArea } from "./scroll-area";
import type { TableState } from "./use-table-state";

export type Column<Row> = {
  id: string;
  title: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Sorts by its own id. */
  sortable?: boolean;
  number?: boolean;
  /** Hidden on narrow screens, where the row's details show it. */
  wideOnly?: boolean;
};

type DataTableProps<Row> = {
  /** The name of the table for screen readers, such as "Users". */
  label: string;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  query: { data?: { rows: Row[]; total: number; isCut?: boolean }; error: unknown; refetch: () => unknown };
  state: TableState;
  empty: { title: string; text: string };
  /** Called by Enter or a click on a row. The arrow keys then move between rows. */
  onOpen?: (row: Row) => void;
  openKey?: string | null;
  /** All rows are on one page. */
  isWhole?: boolean;
  tools?: ReactNode;
};

const SKELETON_ROWS = ["a", "b", "c", "d", "e", "f", "g", "h"];

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, query, state, empty, tools } = props;
  const { data, error, refetch } = query;
  const isEmpty = data?.rows.length === 0;
  return (
    <section className="panel" aria-label={label}>
      {tools && <div className="table-tools">{tools}</div>}
      {!data && error ? (
        <Failure error={error} onRetry={refetch} />
      ) : (
        <ScrollArea className="table-scroll" label={`${label}, table`}>
          <table className="table" aria-busy={!data}>
            <thead>
              <tr>
                {columns.map(column => (
                  <Heading key={column.id} column={column} state={state} />
                ))}
              </tr>
            </thead>
            <tbody onKeyDown={moveFocus}>
              {data
                ? data.rows.map((row, i) => (
                    <BodyRow key={props.rowKey(row)} {...props} row={row} isFirst={i === 0} />
                  ))
                : SKELETON_ROWS.map(key => (
                    <tr key={key}>
                      {columns.map(column => (
                        <td key={column.id} className={classOf(column)}>
                          <span className="skeleton">some text</span>
                        </td>
                      ))}
                    </tr>
                  ))}
            </tbody>
          </table>
          {isEmpty && (
            <div className="blank">
              <strong>{empty.title}</strong>
              <p>{empty.text}</p>
            </div>
          )}
        </ScrollArea>
      )}
      {data && !props.isWhole && (
        <Pager total={data.total} isCut={data.isCut} state={state} isStale={Boolean(error)} />
      )}
    </section>
  );
}

export const classOf = (column: Column<never>) =>
  [column.number && "number", column.wideOnly && "wide-only"].filter(Boolean).join(" ") || undefined;

function Heading<Row>({ column, state }: { column: Column<Row>; state: TableState }) {
  const isSorted = column.sortable && state.sort === column.id;
  const Arrow = state.order === "asc" ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      className={classOf(column)}
      aria-sort={isSorted ? (state.order === "asc" ? "ascending" : "descending") : undefined}
    >
      {column.sortable ? (
        <button type="button" className="table-sort" onClick={() => state.setSort(column.id)}>
          {column.title}
          {isSorted && <Arrow size={12} aria-hidden="true" />}
        </button>
      ) : (
        column.title
      )}
    </th>
  );
}

function BodyRow<Row>({
  row,
  isFirst,
  columns,
  onOpen,
  rowKey,
  openKey,
}: DataTableProps<Row> & { row: Row; isFirst: boolean }) {
  return (
    <tr
      tabIndex={onOpen ? (isFirst ? 0 : -1) : undefined}
      className={onOpen && "cursor-pointer"}
      aria-selected={openKey === undefined ? undefined : openKey === rowKey(row)}
      onClick={event => !isControl(event.target) && onOpen?.(row)}
    >
      {columns.map(column => (
        <td key={column.id} className={classOf(column)}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

const isControl = (target: EventTarget) =>
  (target as Element).closest("button, a, input, select, label") !== null;

/** The rows are one tab stop. The arrow keys move between them, Enter opens one. */
function moveFocus(event: KeyboardEvent<HTMLTableSectionElement>): void {
  const row = event.target as HTMLElement;
  if (row.tagName !== "TR") return;
  const to =
    event.key === "ArrowDown" || event.key === "j"
      ? row.nextElementSibling
      : event.key === "ArrowUp" || event.key === "k"
        ? row.previousElementSibling
        : null;
  if (event.key === "Enter") row.click();
  else if (to instanceof HTMLElement) to.focus();
  else return;
  event.preventDefault();
}
