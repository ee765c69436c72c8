import type { EngineRow } from "../contract";
import { formatCount } from "../parts/format";
import { StateBadge } from "../parts/state-badge";
import { unitsText } from "./engine-state";

/** The best price of each side with its quantity, and the spread. */
export function TopOfBook({ row }: { row: EngineRow }) {
  const { book, priceDecimals } = row;
  if (!book)
    return (
      <p className="consequence" data-tone="unknown">
        <StateBadge state="unknown" word="Not running" /> No engine is running for {row.symbol}: its book is
        not known.
      </p>
    );
  const { bid, ask, bidLevels, askLevels } = book;
  return (
    <section className="book" aria-label="Top of the book">
      <Side title="Best bid" row={row} level={bid} levels={bidLevels} verb="buy" />
      <p className="book-gap">
        {bid && ask ? (
          <>
            <span className="text-soft">Spread</span>
            {unitsText(ask.price - bid.price, priceDecimals)}
          </>
        ) : (
          <span className="text-soft">–</span>
        )}
      </p>
      <Side title="Best ask" row={row} level={ask} levels={askLevels} verb="sell" />
    </section>
  );
}

type Level = NonNullable<NonNullable<EngineRow["book"]>["bid"]>;
type SideProps = { title: string; row: EngineRow; level: Level | null; levels: number; verb: string };

function Side({ title, row, level, levels, verb }: SideProps) {
  const { symbol, priceDecimals, quantityDecimals } = row;
  return (
    <div className="book-side">
      <h3 className="label">{title}</h3>
      {level ? (
        <>
          <p className="stat-value">{unitsText(level.price, priceDecimals)}</p>
          <p>
            {unitsText(level.quantity, quantityDecimals)} <span className="unit">{symbol}</span>
          </p>
          <p className="text-[0.8125rem] text-soft">
            {level.orders === 1 ? "1 order" : `${formatCount(level.orders)} orders`};{" "}
            {levels === 1 ? "no other price" : `${formatCount(levels - 1)} more prices`}
          </p>
        </>
      ) : (
        <p className="text-soft">No {verb} orders.</p>
      )}
    </div>
  );
}
