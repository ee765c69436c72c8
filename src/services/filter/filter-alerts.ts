import type { Alert } from "../../domain/alert";
import type { FilterStatus } from "./read-filter-status";

/** The worker reacts within a second; after this time it does not run. */
const WORKER_TIMEOUT_MS = 10_000;
/** How long the banner shows an automatic rollback or a failed rebuild. */
const ALERT_MS = 60 * 60_000;
const HREF = "/console/filter";

/** Alerts about the rollout, for the console's banner. */
export function filterAlerts(status: FilterStatus | null, nowMs = Date.now()): Alert[] {
  if (!status) return [];
  const alerts: Alert[] = [];
  const ageMs = (at: string) => nowMs - Date.parse(at);
  for (const { version, state, stateAt, switchedAt, activatedAt, failure } of status.versions) {
    const isOverdue = ageMs(stateAt) > WORKER_TIMEOUT_MS;
    if (state === "active" && activatedAt && !switchedAt && isOverdue) {
      const text = `v${version} is promoted, but readers do not follow it yet. Check that a filter worker runs.`;
      alerts.push({ code: "filter_not_switched", text, href: HREF });
    }
    if (state === "requested" && isOverdue) {
      const text = `v${version} waits for a filter worker. Check that one runs.`;
      alerts.push({ code: "filter_unattended", text, href: HREF });
    }
    if (state === "previous" && failure && ageMs(stateAt) < ALERT_MS) {
      alerts.push({
        code: "filter_rolled_back",
        text: `v${version} was rolled back. ${failure}`,
        href: HREF,
      });
    }
    if (state === "failed" && ageMs(stateAt) < ALERT_MS && version === status.versions[0]?.version) {
      alerts.push({
        code: "rebuild_failed",
        text: `The rebuild of v${version} failed. ${failure ?? ""}`.trim(),
        href: HREF,
      });
    }
  }
  return alerts;
}
