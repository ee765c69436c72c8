"use client";

import { useMemo } from "react";
import { ChartPanel } from "../charts/chart-panel";
import { DashboardHead } from "../charts/dashboard-head";
import { useAnnotations } from "../charts/use-annotations";
import { useLive } from "../live/live-provider";
import { RequirePermission } from "../parts/require-permission";
import { StatusSummary } from "../parts/status-summary";
import { useTimeWindow } from "../parts/use-time-window";
import { gateCharts } from "./gate-charts";
import { summarizeGate } from "./summarize-gate";

export function GatePage() {
  return (
    <RequirePermission action="gate.view">
      <Dashboard />
    </RequirePermission>
  );
}

/** Users make these events: they are rare. */
const EVENTS_INTERVAL_MS = 30_000;

function Dashboard() {
  const time = useTimeWindow();
  const annotations = useAnnotations(time.window, EVENTS_INTERVAL_MS) ?? [];
  const errorRate = useLive().live?.health.filter.errorRate ?? null;
  const charts = useMemo(() => gateCharts(errorRate), [errorRate]);

  return (
    <>
      <DashboardHead title="Gate" time={time} />
      <Summary />
      <div className="chart-grid">
        {charts.map(spec => (
          <ChartPanel key={spec.title} spec={spec} window={time.window} annotations={annotations} />
        ))}
      </div>
    </>
  );
}

function Summary() {
  const { live, source } = useLive();
  if (!live && source !== "lost") return <div className="h-15" aria-busy="true" />;
  return <StatusSummary {...summarizeGate(source === "lost" ? null : live)} />;
}
