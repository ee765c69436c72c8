import type { OrderTrace } from "../contract";
import type { Column } from "../parts/data-table";
import { formatCount } from "../parts/format";
import { SimpleTable } from "../parts/simple-table";
import { StateBadge } from "../parts/state-badge";
import { TraceStep } from "../parts/trace-step";
import { ExactTime } from "./exact-time";

type Engine = NonNullable<OrderTrace["engine"]>;
type Order = NonNullable<Engine["order"]>;
type Fill = Engine["fills"][number];

/** What became of the order, its trades, and what was refused with its id. */
export function EngineStep({ trace: { engine } }: { trace: OrderTrace }) {
  const order = engine?.order;
  // The refusal of the order stands among its facts.
  const otherRejects = engine?.rejects.filter(({ position }) => position !== order?.position);
  return (
    <TraceStep
      title="Engine"
      badge={
        order ? (
          <StateBadge state={order.state === "rejected" ? "warning" : "ok"} word={wordsOf(order.state)} />
        ) : (
          <StateBadge state="unknown" word="not matched" />
        )
      }
    >
      {order && <OrderFacts order={order} />}
      {engine && engine.fills.length > 0 && (
        <SimpleTable
          label="Trades of the order"
          className="mt-2 rounded border border-line"
          columns={fillColumns}
          rows={engine.fills}
          rowKey={({ position, number }) => `${position} ${number}`}
        />
      )}
      {otherRejects?.map(({ position, reason }) => (
        <p key={position} className="mt-2">
          Refused at position {formatCount(position)}: {wordsOf(reason)}
        </p>
      ))}
    </TraceStep>
  );
}

const wordsOf = (code: string) => code.replaceAll("_", " ");

function OrderFacts({ order }: { order: Order }) {
  const { kind, side, quantity, price, symbol, filled, reason, cancelledPosition, storedAt, orderedAt } =
    order;
  return (
    <dl className="facts">
      <dt>Order</dt>
      <dd>
        {side} {quantity} {symbol} {kind === "market" ? "at market" : `at ${price}`}
      </dd>
      <dt>Filled</dt>
      <dd>
        {filled} of {quantity}
      </dd>
      {reason && (
        <>
          <dt>Refused</dt>
          <dd>{wordsOf(reason)}</dd>
        </>
      )}
      {cancelledPosition !== null && (
        <>
          <dt>Cancelled</dt>
          <dd>by the order at position {formatCount(cancelledPosition)}</dd>
        </>
      )}
      {storedAt && (
        <>
          <dt>Stored</dt>
          <dd>
            <ExactTime at={storedAt} since={orderedAt} />
          </dd>
        </>
      )}
    </dl>
  );
}

const fillColumns: Column<Fill>[] = [
  { id: "position", title: "Position", number: true, cell: ({ position }) => formatCount(position) },
  { id: "quantity", title: "Quantity", number: true, cell: ({ quantity }) => quantity },
  { id: "price", title: "Price", number: true, cell: ({ price }) => price },
  { id: "as", title: "As", cell: ({ as }) => as },
  { id: "other", title: "Other account", cell: ({ otherAccount }) => otherAccount },
];
