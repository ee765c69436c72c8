"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { ChartPanel } from "../charts/chart-panel";
import { RANGES } from "../charts/time-window";
import { consoleApi } from "../console-api";
import { useLive } from "../live/live-provider";
import { formatExact } from "../parts/format";
import { PageHead } from "../parts/page-head";
import { RangePicker } from "../parts/range-picker";
import { RequirePermission } from "../parts/require-permission";
import { useTimeWindow } from "../parts/use-time-window";
import { gateCharts } from "./gate-charts";
import { GateSummary } from "./gate-summary";

export function GatePage() {
  return (
    <RequirePermission action="gate.view">
      <Dashboard />
    </RequirePermission>
  );
}

/** Events change by hand, not by the second: they are asked for by the half minute. */
const EVENTS_EVERY_MS = 30_000;

function Dashboard() {
  const { range, window, isLive, setState } = useTimeWindow();
  const until = Math.ceil(window.to / EVENTS_EVERY_MS) * EVENTS_EVERY_MS;
  const { spanMs } = RANGES[range];
  const errorRate = useLive().live?.health.filter.errorRate ?? null;
  const charts = useMemo(() => gateCharts(errorRate), [errorRate]);
  const annotations = useQuery({
    queryKey: ["telemetry.annotations", until, spanMs],
    queryFn: ({ signal }) =>
      consoleApi.telemetry.annotations.query(
        { from: new Date(until - spanMs).toISOString(), to: new Date(until).toISOString() },
        { signal },
      ),
    placeholderData: previous => previous,
  });

  return (
    <>
      <PageHead title="Gate" description={isLive ? undefined : `Until ${formatExact(window.to)}`}>
        {!isLive && (
          <button type="button" className="btn btn-outline" onClick={() => void setState({ to: null })}>
            Back to live
          </button>
        )}
        <RangePicker range={range} onRange={next => void setState({ range: next })} />
      </PageHead>
      <GateSummary />
      <div className="chart-grid">
        {charts.map(spec => (
          <ChartPanel key={spec.title} spec={spec} window={window} annotations={annotations.data ?? []} />
        ))}
      </div>
    </>
  );
}
