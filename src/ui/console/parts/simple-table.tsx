import { type Column, classOf } from "./data-table";
import { ScrollArea } from "./scroll-area";

type SimpleTableProps<Row> = {
  /** The name of the area that scrolls. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  className?: string;
};

/** A table of all its rows, without pages and sorting. */
export function SimpleTable<Row>({ label, columns, rows, rowKey, className = "" }: SimpleTableProps<Row>) {
  return (
    <ScrollArea className={`table-scroll ${className}`} label={label}>
      <table className="table">
        <thead>
          <tr>
            {columns.map(column => (
              <th key={column.id} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={rowKey(row)}>
              {columns.map(column => (
                <td key={column.id} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
