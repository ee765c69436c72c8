import type { AuditRow } from "../contract";

export type AuditLink = { text: string; href: string };

const AFTERWARDS_MS = 10 * 60_000;

/** Where to see what a change did: the charts it moves, with some time behind it, and what it is about. */
export function linksOf({ action, target, at }: Pick<AuditRow, "action" | "target" | "at">): AuditLink[] {
  const until = new Date(Math.min(Date.now(), new Date(at).getTime() + AFTERWARDS_MS)).toISOString();
  const charts = (page: string): AuditLink => ({
    text: `The ${page} at that moment`,
    href: `/console/${page}?range=1h&to=${encodeURIComponent(until)}`,
  });
  switch (action.split(".", 1)[0]) {
    case "symbol":
    case "orders":
      return [charts("stream")];
    case "lab": {
      const run = /^lab:run (\d+)$/.exec(target ?? "")?.[1];
      const itself = { text: `Run ${run} in the lab`, href: `/console/lab?run=${run}` };
      return run ? [itself, charts("stream")] : [charts("stream")];
    }
    case "filter":
      return [{ text: "The filter and its timeline", href: "/console/filter" }, charts("gate")];
    default:
      return [charts("gate")];
  }
}
