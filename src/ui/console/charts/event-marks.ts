import type { Annotation } from "../contract";
import type { Gap } from "./points";

export type EventMark = { at: number; label: string; href: string };

/** Marks closer than this ratio of the window can't be hit one by one. */
const MIN_DISTANCE_RATIO = 1 / 50;

/** Events as marks that can be pressed. Close events become one mark, which names and opens the newest. */
export function toEventMarks(annotations: readonly Annotation[], { from, to }: Gap): EventMark[] {
  const events = annotations
    .map(({ at, label, href }) => ({ at: new Date(at).getTime(), label, href }))
    .filter(({ at, href }) => at >= from && at <= to && href.startsWith("/console/"))
    .sort((a, b) => a.at - b.at);
  const groups: EventMark[][] = [];
  for (const event of events) {
    const group = groups.at(-1);
    if (group?.[0] && event.at - group[0].at < (to - from) * MIN_DISTANCE_RATIO) group.push(event);
    else groups.push([event]);
  }
  return groups.map(group => {
    const newest = group.at(-1)!;
    const label = group.length === 1 ? newest.label : `${group.length} changes, the last: ${newest.label}`;
    return { ...newest, label };
  });
}
