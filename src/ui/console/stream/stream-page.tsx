"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback, useMemo } from "react";
import { ChartPanel, ChartView } from "../charts/chart-panel";
import { DashboardHead } from "../charts/dashboard-head";
import type { TimeWindow } from "../charts/time-window";
import { useAnnotations } from "../charts/use-annotations";
import { consoleApi } from "../console-api";
import type { Annotation, ShardSeries } from "../contract";
import { Failure } from "../parts/failure";
import { PermittedButton } from "../parts/permitted-button";
import { RequirePermission } from "../parts/require-permission";
import { StatusSummary } from "../parts/status-summary";
import { OUT_OF_DATE } from "../parts/summary-state";
import { useHasBeenTrue } from "../parts/use-has-been-true";
import { useOrderStatus } from "../parts/use-order-status";
import { useTimeWindow } from "../parts/use-time-window";
import { ProducerLag } from "./producer-lag";
import { busiestShards, toShardLines, utilizationsOf } from "./shard-lines";
import { type OnShard, ShardMap } from "./shard-map";
import type { ShardRequest } from "./shard-request";
import { STREAM_CHARTS, shardCharts } from "./stream-charts";
import { summarizeStream, throttledShards } from "./summarize-stream";

const ShardPanels = dynamic(() => import("./shard-panels"), { ssr: false });

export function StreamPage() {
  return (
    <RequirePermission action="orders.view">
      <Stream />
    </RequirePermission>
  );
}

const EVENTS_INTERVAL_MS = 5_000;
/** Changes that move orders to other shards: the only events in these charts. */
const SPLITS = ["symbol.split", "symbol.expire", "shards.change"];

const parsers = {
  /** The shard whose details are open, and the chosen moment. */
  shard: parseAsString,
  at: parseAsInteger,
  /** The dialog that is open. */
  change: parseAsStringLiteral<ShardRequest>(["split", "merge"]),
};

function Stream() {
  const time = useTimeWindow();
  const { window } = time;
  const status = useOrderStatus();
  const series = useShardSeries(window);
  const annotations = useAnnotations(window, EVENTS_INTERVAL_MS);
  const splits = useMemo(
    () => (annotations ?? []).filter(({ kind }) => SPLITS.includes(kind)),
    [annotations],
  );
  const [{ shard, at, change }, setOpen] = useQueryStates(parsers);
  const onOpen = useCallback<OnShard>(
    (shardId, moment) => void setOpen({ shard: shardId, at: moment }, { history: "push" }),
    [setOpen],
  );
  const onChange = (request: ShardRequest, shardId: string | null) =>
    void setOpen({ change: request, shard: shardId, at: null }, { history: "push" });
  const onClose = () => void setOpen({ change: null, shard: null, at: null });
  const shards = status.data?.shards;

  return (
    <>
      <DashboardHead title="Stream" time={time}>
        <PermittedButton
          action="shards.change"
          className="btn btn-outline"
          onClick={() => onChange("split", null)}
        >
          Add shard
        </PermittedButton>
      </DashboardHead>
      <Summary status={status} series={time.isLive ? series.data : undefined} to={window.to} />
      {series.data && <ShardMap series={series.data} shards={shards} onOpen={onOpen} />}
      <div className="chart-grid mb-3">
        {series.data && (
          <ShardCharts
            series={series.data}
            isOld={series.isPlaceholderData}
            window={window}
            annotations={splits}
            error={series.error}
          />
        )}
        {STREAM_CHARTS.map(spec => (
          <ChartPanel key={spec.title} spec={spec} window={window} annotations={splits} />
        ))}
      </div>
      {status.data && <ProducerLag status={status.data} />}
      {useHasBeenTrue(shard !== null || change !== null) && (
        <ShardPanels
          change={change}
          shardId={shard}
          at={at}
          shards={shards}
          window={window}
          series={series.data}
          annotations={splits}
          onChange={onChange}
          onClose={onClose}
        />
      )}
    </>
  );
}

function useShardSeries({ from, to }: TimeWindow) {
  return useQuery({
    queryKey: ["orders.shardSeries", from, to],
    queryFn: ({ signal }) =>
      consoleApi.orders.shardSeries.query(
        { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
        { signal },
      ),
    placeholderData: previous => previous,
    gcTime: 10_000,
  });
}

type SummaryProps = {
  status: ReturnType<typeof useOrderStatus>;
  /** Undefined when the charts show the past. */
  series: ShardSeries | undefined;
  to: number;
};

function Summary({ status: { data, error, refetch }, series, to }: SummaryProps) {
  const throttled = useMemo(() => (series ? throttledShards(series, to) : []), [series, to]);
  if (!data)
    return (
      <div className="mb-3 h-15" aria-busy={!error}>
        {error && <Failure error={error} onRetry={() => void refetch()} />}
      </div>
    );
  const summary = summarizeStream(data, throttled);
  return <StatusSummary {...summary} {...(error && OUT_OF_DATE)} />;
}

type ShardChartsProps = {
  series: ShardSeries;
  window: TimeWindow;
  annotations: readonly Annotation[];
  error: unknown;
  isOld: boolean;
};

function ShardCharts({ series, window, annotations, error, isOld }: ShardChartsProps) {
  const { limits, shards } = series;
  const utilizations = useMemo(() => utilizationsOf(series), [series]);
  const named = busiestShards(utilizations).join(" ");
  const { recordsPerSecond, bytesPerSecond } = limits;
  const specs = useMemo(() => {
    const list = named.split(" ");
    return shardCharts(list, shards.length > list.length, { recordsPerSecond, bytesPerSecond });
  }, [named, shards.length, recordsPerSecond, bytesPerSecond]);
  const lines = useMemo(() => {
    const list = named.split(" ");
    return (["records", "bytes", "throttled"] as const).map(of =>
      toShardLines(
        series,
        series.shards.map(shard => ({ shardId: shard.shardId, values: shard[of] })),
        list,
      ),
    );
  }, [series, named]);
  return specs.map((spec, n) => (
    <ChartView
      key={spec.title}
      spec={spec}
      window={window}
      annotations={annotations}
      error={error}
      isOld={isOld}
      data={lines[n]}
    />
  ));
}
