import { CircleCheck, CircleDashed, OctagonX, TriangleAlert } from "lucide-react";

export type State = "ok" | "warning" | "critical" | "unknown";

const icons = { ok: CircleCheck, warning: TriangleAlert, critical: OctagonX, unknown: CircleDashed };

type StateBadgeProps = { state: State; word: string; title?: string };

/** A state as an icon and a word; colour only helps, and unknown is hatched. */
export function StateBadge({ state, word, title }: StateBadgeProps) {
  const Icon = icons[state];
  return (
    <span className={`badge badge-${state}`} data-tone={state} title={title}>
      <Icon size={14} strokeWidth={2} aria-hidden="true" className="flex-none" />
      {word}
    </span>
  );
}
