"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryStates } from "nuqs";
import { consoleApi } from "../console-api";
import { Failure } from "../parts/failure";
import { PageHead } from "../parts/page-head";
import { RequirePermission } from "../parts/require-permission";
import { OrderForm } from "./order-form";
import { OrderSteps } from "./order-steps";

export function OrderTracePage() {
  return (
    <RequirePermission action="orders.trace">
      <PageHead title="Order trace" description="Where an order is: server, log, ordered stream, engine" />
      <Tracer />
    </RequirePermission>
  );
}

const ADDRESS = {
  account: parseAsString.withDefault(""),
  order: parseAsString.withDefault(""),
  symbol: parseAsString.withDefault(""),
};

function Tracer() {
  const [asked, setAsked] = useQueryStates(ADDRESS, { history: "push" });
  const { account: accountId, order: orderId, symbol } = asked;
  const isAsked = accountId !== "" && orderId !== "";
  const trace = useQuery({
    queryKey: ["orders.trace", asked],
    queryFn: ({ signal }) =>
      consoleApi.orders.trace.query({ accountId, orderId, symbol: symbol || undefined }, { signal }),
    enabled: isAsked,
    staleTime: 0,
    retry: false,
  });
  return (
    <>
      <OrderForm
        asked={asked}
        isBusy={trace.isFetching}
        onAsk={next => {
          const isSame = (["account", "order", "symbol"] as const).every(key => next[key] === asked[key]);
          if (isSame) void trace.refetch();
          else void setAsked(next);
        }}
      />
      {!isAsked ? (
        <div className="panel blank">
          <strong>Type the account and the order’s id from the support case</strong>
          <p>The trace shows each place that the order passes, when it was there, and what it waits for.</p>
        </div>
      ) : trace.data ? (
        <OrderSteps trace={trace.data} />
      ) : trace.error ? (
        <div className="panel">
          <Failure error={trace.error} onRetry={() => void trace.refetch()} />
        </div>
      ) : (
        <div className="panel blank" role="status">
          Tracing the order…
        </div>
      )}
    </>
  );
}
