import type { FilterStatus } from "./read-filter-status";

type Alert = { code: string; text: string; href: string };

/** The worker acts within a second; after this it is not there. */
const UNATTENDED_MS = 10_000;
/** How long a version that went back by itself, or failed, stays on the banner. */
const NEWS_MS = 60 * 60_000;
const HREF = "/console/filter";

/** What is wrong with the rollout, in words, for the console's banner. */
export function filterAlerts(status: FilterStatus | null, nowMs = Date.now()): Alert[] {
  if (!status) return [];
  const alerts: Alert[] = [];
  const ageMs = (at: string) => nowMs - Date.parse(at);
  for (const { version, state, stateAt, switchedAt, activatedAt, failure } of status.versions) {
    const isUnattended = ageMs(stateAt) > UNATTENDED_MS;
    if (state === "active" && activatedAt && !switchedAt && isUnattended) {
      const text = `v${version} is promoted, but readers are not told yet: does the filter worker run?`;
      alerts.push({ code: "filter_not_switched", text, href: HREF });
    }
    if (state === "requested" && isUnattended) {
      const text = `v${version} waits for a filter worker to build it: does one run?`;
      alerts.push({ code: "filter_unattended", text, href: HREF });
    }
    if (state === "previous" && failure && ageMs(stateAt) < NEWS_MS) {
      alerts.push({
        code: "filter_rolled_back",
        text: `v${version} was rolled back. ${failure}`,
        href: HREF,
      });
    }
    if (state === "failed" && ageMs(stateAt) < NEWS_MS && version === status.versions[0]?.version) {
      alerts.push({
        code: "rebuild_failed",
        text: `The rebuild of v${version} failed. ${failure ?? ""}`.trim(),
        href: HREF,
      });
    }
  }
  return alerts;
}
