"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { ChartPanel, ChartView } from "../charts/chart-panel";
import { RANGES, type TimeWindow } from "../charts/time-window";
import { consoleApi } from "../console-api";
import type { Annotation, ShardSeriesAnswer } from "../contract";
import { RangePicker } from "../gate/range-picker";
import { useTimeWindow } from "../gate/use-time-window";
import { Failure } from "../parts/failure";
import { formatExact } from "../parts/format";
import { Needs } from "../parts/needs";
import { PageHead } from "../parts/page-head";
import { busiestShards, sharesOf, toShardLines } from "./shard-lines";
import { ShardMap } from "./shard-map";
import { StreamAnswer } from "./stream-answer";
import { STREAM_CHARTS, shardCharts } from "./stream-charts";
import { useOrderStatus } from "./use-order-status";
import { WhoWaits } from "./who-waits";

export function StreamPage() {
  return (
    <Needs action="orders.view">
      <Stream />
    </Needs>
  );
}

const EVENTS_EVERY_MS = 5_000;

function Stream() {
  const { range, window, isLive, setState } = useTimeWindow();
  const { from, to } = window;
  const status = useOrderStatus();
  const series = useQuery({
    queryKey: ["orders.shardSeries", from, to],
    queryFn: ({ signal }) =>
      consoleApi.orders.shardSeries.query(
        { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
        { signal },
      ),
    placeholderData: previous => previous,
    gcTime: 10_000,
  });
  const until = Math.ceil(to / EVENTS_EVERY_MS) * EVENTS_EVERY_MS;
  const { spanMs } = RANGES[range];
  const annotations = useQuery({
    queryKey: ["telemetry.annotations", until, spanMs],
    queryFn: ({ signal }) =>
      consoleApi.telemetry.annotations.query(
        { from: new Date(until - spanMs).toISOString(), to: new Date(until).toISOString() },
        { signal },
      ),
    placeholderData: previous => previous,
  });
  const splits = useMemo(
    () => (annotations.data ?? []).filter(({ kind }) => kind === "symbol.split" || kind === "symbol.expire"),
    [annotations.data],
  );

  return (
    <>
      <PageHead title="Stream" hint={isLive ? undefined : `Until ${formatExact(to)}`}>
        {!isLive && (
          <button type="button" className="btn btn-outline" onClick={() => void setState({ to: null })}>
            Back to live
          </button>
        )}
        <RangePicker range={range} onRange={next => void setState({ range: next })} />
      </PageHead>
      {status.data ? (
        <StreamAnswer status={status.data} series={series.data} isOld={Boolean(status.error)} />
      ) : (
        <div className="mb-3 h-15" aria-busy={!status.error}>
          {status.error && <Failure error={status.error} onRetry={() => void status.refetch()} />}
        </div>
      )}
      {series.data && <ShardMap answer={series.data} />}
      <div className="chart-grid mb-3">
        {series.data && (
          <ShardCharts answer={series.data} window={window} annotations={splits} error={series.error} />
        )}
        {STREAM_CHARTS.map(spec => (
          <ChartPanel key={spec.title} spec={spec} window={window} annotations={splits} />
        ))}
      </div>
      {status.data && <WhoWaits status={status.data} />}
    </>
  );
}

type ShardChartsProps = {
  answer: ShardSeriesAnswer;
  window: TimeWindow;
  annotations: readonly Annotation[];
  error: unknown;
};

function ShardCharts({ answer, window, annotations, error }: ShardChartsProps) {
  const shares = useMemo(() => sharesOf(answer), [answer]);
  const named = busiestShards(shares).join(" ");
  const [load, throttle] = useMemo(() => {
    const list = named.split(" ");
    return shardCharts(list, answer.shards.length > list.length);
  }, [named, answer.shards.length]);
  const [loads, throttles] = useMemo(() => {
    const list = named.split(" ");
    const byShare = shares.map(({ shardId, shares: values }) => ({ shardId, values }));
    const byThrottle = answer.shards.map(({ shardId, throttled: values }) => ({ shardId, values }));
    return [toShardLines(answer, byShare, list), toShardLines(answer, byThrottle, list)];
  }, [answer, shares, named]);
  const common = { window, annotations, error };
  return (
    <>
      <ChartView {...common} spec={load} data={loads} />
      <ChartView {...common} spec={throttle} data={throttles} />
    </>
  );
}
