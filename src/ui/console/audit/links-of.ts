import type { AuditRow } from "../contract";

export type AuditLink = { text: string; href: string };

const AFTERWARDS_MS = 10 * 60_000;

/** Links to the charts that a change affects, with the ten minutes after it, and to its subject. */
export function linksOf({ action, target, at }: Pick<AuditRow, "action" | "target" | "at">): AuditLink[] {
  const until = new Date(Math.min(Date.now(), new Date(at).getTime() + AFTERWARDS_MS)).toISOString();
  const charts = (page: string): AuditLink => ({
    text: `The ${page} at that moment`,
    href: `/console/${page}?range=1h&to=${encodeURIComponent(until)}`,
  });
  switch (action.split(".", 1)[0]) {
    case "symbol":
    case "shards":
    case "orders":
      return [charts("stream")];
    case "lab": {
      const run = /^lab:run (\d+)$/.exec(target ?? "")?.[1];
      const link = { text: `Run ${run} in the lab`, href: `/console/lab?run=${run}` };
      return run ? [link, charts("stream")] : [charts("stream")];
    }
    case "filter":
      return [{ text: "The filter and its timeline", href: "/console/filter" }, charts("gate")];
    default:
      return [charts("gate")];
  }
}
