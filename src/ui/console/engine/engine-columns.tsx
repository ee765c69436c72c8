import { formatDecimal } from "../../../domain/orders/order-decimal";
import type { EngineRow } from "../contract";
import { Ago } from "../parts/ago";
import type { Column } from "../parts/data-table";
import { formatCount } from "../parts/format";
import { Measured } from "../parts/measured";
import { StateBadge } from "../parts/state-badge";
import { engineStateOf, unitsText } from "./engine-state";

export const ENGINE_COLUMNS: readonly Column<EngineRow>[] = [
  { id: "symbol", title: "Symbol", sortable: true, cell: row => <strong>{row.symbol}</strong> },
  { id: "state", title: "State", wideOnly: true, cell: row => <StateBadge {...engineStateOf(row)} /> },
  { id: "bid", title: "Best bid", number: true, cell: row => <Price row={row} side="bid" /> },
  { id: "ask", title: "Best ask", number: true, cell: row => <Price row={row} side="ask" /> },
  {
    id: "depth",
    title: "Depth",
    number: true,
    wideOnly: true,
    cell: ({ book }) =>
      book ? (
        <span title={`${book.bidLevels} prices to buy, ${book.askLevels} to sell`}>
          {formatCount(book.bidLevels)} <span className="unit">×</span> {formatCount(book.askLevels)}
        </span>
      ) : (
        <span className="no-data">no data</span>
      ),
  },
  {
    id: "last",
    title: "Last trade",
    number: true,
    wideOnly: true,
    cell: ({ last, priceDecimals }) =>
      last ? (
        <>
          {unitsText(last.price, priceDecimals)}{" "}
          <span className="unit">{last.at && <Ago at={last.at} />}</span>
        </>
      ) : (
        <span className="text-soft">–</span>
      ),
  },
  {
    id: "rate",
    title: "Order rate",
    sortable: true,
    number: true,
    wideOnly: true,
    cell: row => <Measured value={row.ordersPerSecond} unit="perSecond" />,
  },
  {
    id: "position",
    title: "Position",
    number: true,
    wideOnly: true,
    cell: row => formatCount(row.position),
  },
  {
    id: "behind",
    title: "Backlog",
    sortable: true,
    number: true,
    cell: ({ behind, position }) =>
      behind === null && position === 0 ? (
        <span className="text-soft">–</span>
      ) : (
        <Measured value={behind} unit="orders" />
      ),
  },
  {
    id: "trades",
    title: "Trades",
    sortable: true,
    number: true,
    wideOnly: true,
    cell: row => formatCount(row.trades),
  },
  {
    id: "rejects",
    title: "Rejects",
    sortable: true,
    number: true,
    wideOnly: true,
    cell: row => formatCount(row.rejects),
  },
  {
    id: "violations",
    title: "Order violations",
    number: true,
    wideOnly: true,
    cell: ({ violations }) =>
      violations > 0 ? <StateBadge state="critical" word={formatCount(violations)} /> : "0",
  },
];

function Price({ row, side }: { row: EngineRow; side: "bid" | "ask" }) {
  if (!row.book) return <span className="no-data">no data</span>;
  const level = row.book[side];
  if (!level) return <span className="text-soft">–</span>;
  const { price, quantity, orders } = level;
  const size = formatDecimal(quantity, row.quantityDecimals);
  return (
    <span title={`${size} in ${orders === 1 ? "1 order" : `${formatCount(orders)} orders`}`}>
      <span className="unit hidden sm:inline">{size} at</span> {unitsText(price, row.priceDecimals)}
    </span>
  );
}
