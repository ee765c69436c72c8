import type { ReactNode } from "react";
import type { OrderStatus } from "../contract";
import { formatCount } from "../parts/format";
import { Measured } from "../parts/measured";
import { ScrollArea } from "../parts/scroll-area";

/** The lag of each aggregator and producer, and the slowest producer. */
export function ProducerLag({ status: { producers, aggregators } }: { status: OrderStatus }) {
  return (
    <div className="grid grid-cols-1 gap-3 lg:grid-cols-2">
      <Listing
        title="Aggregators"
        heads={["Aggregator", "Slowest producer", "Lag", "Buffered orders"]}
        empty="No aggregator is running: orders wait in the shards."
        rows={aggregators.map(({ owner, slowestProducer, lagMs, waiting }) => ({
          key: owner,
          cells: [
            <span key="owner" className="code" title={owner}>
              {owner.split(":").slice(0, 2).join(":")}
            </span>,
            (producers.length > 0 && slowestProducer) || "–",
            <Measured key="lag" value={lagMs} unit="ms" />,
            formatCount(waiting),
          ],
        }))}
      />
      <Listing
        title="Producers"
        heads={["Producer", "Watermark", "Last seen", "Lagging on"]}
        empty="No producer has joined: a server joins with its first order."
        rows={producers.map(({ producer, behindMs, silentMs, waitingFor }) => ({
          key: String(producer),
          cells: [
            `producer ${producer}`,
            <span key="behind">
              <Measured value={behindMs} unit="ms" /> ago
            </span>,
            <span key="silent">
              <Measured value={silentMs} unit="ms" /> ago
            </span>,
            waitingFor.map(({ symbol, shardId }) => `${symbol} on shard ${shardId}`).join(", ") || "–",
          ],
        }))}
      />
    </div>
  );
}

type Row = { key: string; cells: ReactNode[] };
type ListingProps = { title: string; heads: string[]; rows: Row[]; empty: string };

function Listing({ title, heads, rows, empty }: ListingProps) {
  return (
    <section className="panel" aria-label={title}>
      <div className="panel-head">
        <h2>{title}</h2>
      </div>
      {rows.length === 0 ? (
        <p className="px-4 py-3 text-soft">{empty}</p>
      ) : (
        <ScrollArea className="table-scroll" label={`${title}, table`}>
          <table className="table">
            <thead>
              <tr>
                {heads.map(head => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ key, cells }) => (
                <tr key={key}>
                  {cells.map((cell, i) => (
                    <td key={heads[i]}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
    </section>
  );
}
