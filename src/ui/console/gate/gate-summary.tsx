"use client";

import { OUTBOX_BEHIND_SECONDS } from "../../../domain/filter/outbox-limit";
import { useLive } from "../live/live-provider";
import { formatCount, formatQuantity } from "../parts/format";
import type { State } from "../parts/state-badge";
import { StatusSummary, type SummaryPart } from "../parts/status-summary";

/** The first thing read on the page: is it all right? Each part says why. */
export function GateSummary() {
  const { live, source } = useLive();
  if (!live && source !== "lost") return <div className="h-15" aria-busy="true" />;
  const isKnown = live && source !== "lost";
  const health = live?.health;
  const state: State = !isKnown
    ? "unknown"
    : health?.status === "ok"
      ? "ok"
      : health?.status === "down"
        ? "critical"
        : "warning";
  const word = {
    ok: "The gate is all right",
    warning: "The gate works, degraded",
    critical: "The gate is down",
    unknown: "The gate's state is unknown",
  }[state];
  return <StatusSummary state={state} word={word} parts={isKnown ? partsOf(live) : undefined} />;
}

function partsOf({ health, outbox }: NonNullable<ReturnType<typeof useLive>["live"]>): SummaryPart[] {
  const { version, engine, fullShards, pointerAgeMs } = health.filter;
  const isStale = pointerAgeMs === null || pointerAgeMs > 5_000;
  const filter: SummaryPart = {
    title: "Filter",
    state: version === null ? "warning" : isStale ? "unknown" : fullShards > 0 ? "warning" : "ok",
    text: version === null ? "none" : `v${version} on ${engine}${isStale ? ", pointer not read" : ""}`,
  };
  const parts = [filter];
  if (fullShards > 0) parts.push({ title: "Full shards", state: "warning", text: formatCount(fullShards) });
  if (outbox) {
    const { pending, oldestSeconds, dead, relays } = outbox;
    const isBehind = pending > 0 && oldestSeconds > OUTBOX_BEHIND_SECONDS;
    const lag = pending === 0 ? "nothing waits" : `oldest row ${formatQuantity(oldestSeconds, "seconds")}`;
    parts.push({ title: "Outbox", state: isBehind ? "warning" : "ok", text: lag });
    parts.push({
      title: "Relays",
      state: relays.length > 0 ? "ok" : "unknown",
      text: relays.length > 0 ? `${relays.length} at work` : "none seen at work",
    });
    if (dead > 0) parts.push({ title: "Dead letters", state: "warning", text: formatCount(dead) });
  }
  return parts;
}
