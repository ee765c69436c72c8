import { Archive, CircleCheck, CircleX, Hourglass, LoaderCircle, OctagonX, Star, Undo2 } from "lucide-react";
import type { VersionStatus } from "../contract";

type State = VersionStatus["state"];

const working = { icon: LoaderCircle, tone: "working" };
const looks: Record<State, { icon: typeof Archive; tone: string }> = {
  requested: { icon: Hourglass, tone: "working" },
  building: working,
  "catching-up": working,
  verifying: working,
  ready: { icon: Star, tone: "working" },
  active: { icon: CircleCheck, tone: "ok" },
  previous: { icon: Undo2, tone: "quiet" },
  retiring: working,
  discarding: working,
  retired: { icon: Archive, tone: "quiet" },
  cancelled: { icon: CircleX, tone: "quiet" },
  failed: { icon: OctagonX, tone: "critical" },
};

/** The state of a version. */
export function VersionBadge({ state }: { state: State }) {
  const { icon: Icon, tone } = looks[state];
  return (
    <span className="badge" data-tone={tone}>
      <Icon size={14} strokeWidth={2} aria-hidden="true" className="flex-none" />
      {state}
    </span>
  );
}
