import { OUTBOX_BEHIND_SECONDS } from "../../../domain/filter/outbox-limit";
import type { Live } from "../contract";
import { formatCount, formatQuantity } from "../parts/format";
import type { State } from "../parts/state-badge";
import type { SummaryPart } from "../parts/status-summary";
import { worstState } from "../parts/summary-state";

type GateSummary = { state: State; word: string; parts?: SummaryPart[] };

const STALE_POINTER_MS = 5_000;

/** The gate's state is the worst of its health and of the parts shown beside it. */
export function summarizeGate(live: Live | null): GateSummary {
  if (!live) return { state: "unknown", word: "The gate's state is unknown" };
  const { status } = live.health;
  const parts = [filterPart(live), ...fullShardsPart(live), ...outboxParts(live)];
  const state = worstState([...parts, { state: HEALTH[status] }]);
  if (status !== "ok") return { state, word: `The gate is ${status}`, parts };
  if (state === "ok") return { state, word: "The gate is healthy", parts };
  const affected = parts.filter(part => part.state === state).map(({ title }) => title.toLowerCase());
  const word = state === "unknown" ? "The state of the gate is incomplete" : "The gate works, with warnings";
  return { state, word: `${word}: ${affected.join(", ")}`, parts };
}

const HEALTH: Record<Live["health"]["status"], State> = { ok: "ok", degraded: "warning", down: "critical" };

function filterPart({ health }: Live): SummaryPart {
  const { version, engine, fullShards, pointerAgeMs } = health.filter;
  if (version === null) return { title: "Filter", state: "warning", text: "none" };
  const isStale = pointerAgeMs === null || pointerAgeMs > STALE_POINTER_MS;
  return {
    title: "Filter",
    state: isStale ? "unknown" : fullShards > 0 ? "warning" : "ok",
    text: `v${version} on ${engine}${isStale ? ", pointer not read" : ""}`,
  };
}

function fullShardsPart({ health }: Live): SummaryPart[] {
  const { fullShards } = health.filter;
  return fullShards > 0 ? [{ title: "Full shards", state: "warning", text: formatCount(fullShards) }] : [];
}

function outboxParts({ outbox }: Live): SummaryPart[] {
  if (!outbox) return [];
  const { pending, oldestSeconds, dead, relays } = outbox;
  const isBehind = pending > 0 && oldestSeconds > OUTBOX_BEHIND_SECONDS;
  const parts: SummaryPart[] = [
    {
      title: "Outbox",
      state: isBehind ? "warning" : "ok",
      text: pending === 0 ? "empty" : `oldest row ${formatQuantity(oldestSeconds, "seconds")}`,
    },
    {
      title: "Relays",
      state: relays.length > 0 ? "ok" : "unknown",
      text: relays.length > 0 ? `${relays.length} active` : "none active",
    },
  ];
  if (dead > 0) parts.push({ title: "Dead letters", state: "warning", text: formatCount(dead) });
  return parts;
}
