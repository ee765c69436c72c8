"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsInteger, parseAsString, useQueryStates } from "nuqs";
import { useCallback, useMemo } from "react";
import { ChartPanel, ChartView } from "../charts/chart-panel";
import { RANGES, type TimeWindow } from "../charts/time-window";
import { consoleApi } from "../console-api";
import type { Annotation, ShardSeriesAnswer } from "../contract";
import { Failure } from "../parts/failure";
import { formatExact } from "../parts/format";
import { PageHead } from "../parts/page-head";
import { RangePicker } from "../parts/range-picker";
import { RequirePermission } from "../parts/require-permission";
import { useHasBeenTrue } from "../parts/use-has-been-true";
import { useOrderStatus } from "../parts/use-order-status";
import { useTimeWindow } from "../parts/use-time-window";
import { WhoWaits } from "./producer-lag";
import { busiestShards, toShardLines, utilizationsOf } from "./shard-lines";
import { type OnShard, ShardMap } from "./shard-map";
import { STREAM_CHARTS, shardCharts } from "./stream-charts";
import { StreamSummary } from "./stream-summary";

const ShardDrawer = dynamic(() => import("./shard-drawer").then(all => all.ShardDrawer), { ssr: false });

export function StreamPage() {
  return (
    <RequirePermission action="orders.view">
      <Stream />
    </RequirePermission>
  );
}

const EVENTS_EVERY_MS = 5_000;
/** Changes that move orders to other shards. */
const SPLITS = ["symbol.split", "symbol.expire"];

const parsers = {
  /** Whose details are open, and the moment that was pressed. */
  shard: parseAsString,
  at: parseAsInteger,
};

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
    () => (annotations.data ?? []).filter(({ kind }) => SPLITS.includes(kind)),
    [annotations.data],
  );

  const [{ shard, at }, setOpen] = useQueryStates(parsers);
  const onOpen = useCallback<OnShard>(
    (shardId, moment) => void setOpen({ shard: shardId, at: moment }, { history: "push" }),
    [setOpen],
  );
  const shards = status.data?.shards;

  return (
    <>
      <PageHead title="Stream" description={isLive ? undefined : `Until ${formatExact(to)}`}>
        {!isLive && (
          <button type="button" className="btn btn-outline" onClick={() => void setState({ to: null })}>
            Back to live
          </button>
        )}
        <RangePicker range={range} onRange={next => void setState({ range: next })} />
      </PageHead>
      {status.data ? (
        <StreamSummary status={status.data} isOld={Boolean(status.error)} />
      ) : (
        <div className="mb-3 h-15" aria-busy={!status.error}>
          {status.error && <Failure error={status.error} onRetry={() => void status.refetch()} />}
        </div>
      )}
      {series.data && <ShardMap answer={series.data} shards={shards} onOpen={onOpen} />}
      <div className="chart-grid mb-3">
        {series.data && (
          <ShardCharts
            answer={series.data}
            isOld={series.isPlaceholderData}
            {...{ window }}
            annotations={splits}
            error={series.error}
          />
        )}
        {STREAM_CHARTS.map(spec => (
          <ChartPanel key={spec.title} spec={spec} window={window} annotations={splits} />
        ))}
      </div>
      {status.data && <WhoWaits status={status.data} />}
      {useHasBeenTrue(shard !== null) && series.data && (
        <ShardDrawer
          {...{ at, shards, window }}
          shardId={shard}
          answer={series.data}
          annotations={splits}
          onClose={() => void setOpen({ shard: null, at: null })}
        />
      )}
    </>
  );
}

type ShardChartsProps = {
  answer: ShardSeriesAnswer;
  window: TimeWindow;
  annotations: readonly Annotation[];
  error: unknown;
  isOld: boolean;
};

function ShardCharts({ answer, window, annotations, error, isOld }: ShardChartsProps) {
  const { limits, shards } = answer;
  const utilizations = useMemo(() => utilizationsOf(answer), [answer]);
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
        answer,
        answer.shards.map(shard => ({ shardId: shard.shardId, values: shard[of] })),
        list,
      ),
    );
  }, [answer, named]);
  return specs.map((spec, n) => (
    <ChartView key={spec.title} {...{ spec, window, annotations, error, isOld }} data={lines[n]} />
  ));
}
