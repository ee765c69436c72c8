import type { OrderStatus } from "../contract";
import type { Column } from "../parts/data-table";
import { formatCount } from "../parts/format";
import { Measured } from "../parts/measured";
import { SimpleTable } from "../parts/simple-table";

/** The lag of each aggregator and producer, and the slowest producer. */
export function ProducerLag({ status: { producers, aggregators } }: { status: OrderStatus }) {
  return (
    <div className="grid grid-cols-1 gap-3 lg:grid-cols-2">
      <Listing
        title="Aggregators"
        columns={aggregatorColumns(producers.length > 0)}
        rows={aggregators}
        rowKey={({ owner }) => owner}
        empty="No aggregator is running: orders wait in the shards."
      />
      <Listing
        title="Producers"
        columns={producerColumns}
        rows={producers}
        rowKey={({ producer }) => String(producer)}
        empty="No producer has joined: a server joins with its first order."
      />
    </div>
  );
}

const aggregatorColumns = (hasProducers: boolean): Column<OrderStatus["aggregators"][number]>[] => [
  {
    id: "aggregator",
    title: "Aggregator",
    cell: ({ owner }) => (
      <span className="code" title={owner}>
        {owner.split(":").slice(0, 2).join(":")}
      </span>
    ),
  },
  {
    id: "slowest",
    title: "Slowest producer",
    cell: ({ slowestProducer }) => (hasProducers && slowestProducer) || "–",
  },
  { id: "lag", title: "Lag", cell: ({ lagMs }) => <Measured value={lagMs} unit="ms" /> },
  { id: "buffered", title: "Buffered orders", cell: ({ bufferedEvents }) => formatCount(bufferedEvents) },
];

const producerColumns: Column<OrderStatus["producers"][number]>[] = [
  { id: "producer", title: "Producer", cell: ({ producer }) => `producer ${producer}` },
  { id: "watermark", title: "Watermark", cell: ({ behindMs }) => <MeasuredAgo ms={behindMs} /> },
  { id: "seen", title: "Last seen", cell: ({ silentMs }) => <MeasuredAgo ms={silentMs} /> },
  {
    id: "lagging",
    title: "Lagging on",
    cell: ({ waitingFor }) =>
      waitingFor.map(({ symbol, shardId }) => `${symbol} on shard ${shardId}`).join(", ") || "–",
  },
];

function MeasuredAgo({ ms }: { ms: number }) {
  return (
    <>
      <Measured value={ms} unit="ms" /> ago
    </>
  );
}

type ListingProps<Row> = {
  title: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  empty: string;
};

function Listing<Row>({ title, empty, ...table }: ListingProps<Row>) {
  return (
    <section className="panel" aria-label={title}>
      <div className="panel-head">
        <h2>{title}</h2>
      </div>
      {table.rows.length === 0 ? (
        <p className="px-4 py-3 text-soft">{empty}</p>
      ) : (
        <SimpleTable label={`${title}, table`} {...table} />
      )}
    </section>
  );
}
