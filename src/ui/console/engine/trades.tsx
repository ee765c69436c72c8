import type { EngineDetails, EngineRow } from "../contract";
import { Ago } from "../parts/ago";
import { ScrollArea } from "../parts/scroll-area";
import { unitsText } from "./engine-state";

type TradesProps = { row: EngineRow; trades: EngineDetails["trades"] };

/** The last trades, newest first. */
export function Trades({ row, trades }: TradesProps) {
  const { priceDecimals, quantityDecimals } = row;
  return (
    <section aria-label="Last trades">
      <h3 className="label">Last trades</h3>
      {trades.length === 0 ? (
        <p className="text-soft">No trades yet.</p>
      ) : (
        <ScrollArea label="Last trades, table" className="table-scroll">
          <table className="table">
            <thead>
              <tr>
                <th scope="col" className="number">
                  Price
                </th>
                <th scope="col" className="number">
                  Quantity
                </th>
                <th scope="col">Taker</th>
                <th scope="col">Maker</th>
                <th scope="col">When</th>
              </tr>
            </thead>
            <tbody>
              {trades.map(trade => (
                <tr key={`${trade.position} ${trade.number}`} title={`Position ${trade.position}`}>
                  <td className="number">{unitsText(trade.price, priceDecimals)}</td>
                  <td className="number">{unitsText(trade.quantity, quantityDecimals)}</td>
                  <td>{trade.taker}</td>
                  <td>{trade.maker}</td>
                  <td>{trade.at ? <Ago at={trade.at} /> : <span className="text-soft">–</span>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
    </section>
  );
}
