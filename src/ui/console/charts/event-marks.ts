import type { Annotation } from "../contract";
import type { Gap } from "./points";

export type EventMark = { at: number; label: string; href: string };

/** Marks closer than this share of the window can't be hit one by one. */
const APART = 1 / 50;

/** Events as marks that can be pressed: a bunch becomes one, which names and opens its newest. */
export function toEventMarks(annotations: readonly Annotation[], { from, to }: Gap): EventMark[] {
  const events = annotations
    .map(({ at, label, href }) => ({ at: new Date(at).getTime(), label, href }))
    .filter(({ at, href }) => at >= from && at <= to && href.startsWith("/console/"))
    .sort((a, b) => a.at - b.at);
  const bunches: EventMark[][] = [];
  for (const event of events) {
    const bunch = bunches.at(-1);
    if (bunch?.[0] && event.at - bunch[0].at < (to - from) * APART) bunch.push(event);
    else bunches.push([event]);
  }
  return bunches.map(bunch => {
    const newest = bunch.at(-1)!;
    const label = bunch.length === 1 ? newest.label : `${bunch.length} changes, the last: ${newest.label}`;
    return { ...newest, label };
  });
}
