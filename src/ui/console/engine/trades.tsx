import type { EngineDetails, EngineRow } from "../contract";
import { Ago } from "../parts/ago";
import type { Column } from "../parts/data-table";
import { SimpleTable } from "../parts/simple-table";
import { unitsText } from "./engine-state";

type Trade = EngineDetails["trades"][number];
type TradesProps = { row: EngineRow; trades: readonly Trade[] };

/** The last trades, newest first. */
export function Trades({ row, trades }: TradesProps) {
  return (
    <section aria-label="Last trades">
      <h3 className="label">Last trades</h3>
      {trades.length === 0 ? (
        <p className="text-soft">No trades yet.</p>
      ) : (
        <SimpleTable
          label="Last trades, table"
          columns={columnsOf(row)}
          rows={trades}
          rowKey={({ position, number }) => `${position} ${number}`}
        />
      )}
    </section>
  );
}

const columnsOf = ({ priceDecimals, quantityDecimals }: EngineRow): Column<Trade>[] => [
  {
    id: "price",
    title: "Price",
    number: true,
    cell: ({ price, position }) => (
      <span title={`Position ${position}`}>{unitsText(price, priceDecimals)}</span>
    ),
  },
  {
    id: "quantity",
    title: "Quantity",
    number: true,
    cell: ({ quantity }) => unitsText(quantity, quantityDecimals),
  },
  { id: "taker", title: "Taker", cell: ({ taker }) => taker },
  { id: "maker", title: "Maker", cell: ({ maker }) => maker },
  { id: "at", title: "Time", cell: ({ at }) => (at ? <Ago at={at} /> : "–") },
];
