import type { VersionStatus } from "../contract";
import { formatAgo, formatExact } from "../parts/format";
import { StateBadge } from "../parts/state-badge";
import { useNow } from "../parts/use-now";

/** While a version bakes, something wrong with it leads back to the previous one by itself. */
export function Bake({ active, previous }: { active?: VersionStatus; previous?: VersionStatus }) {
  const now = useNow();
  if (!active) return null;
  const until = active.bakeUntil && Date.parse(active.bakeUntil);
  return (
    <div className="flex items-center gap-2">
      <dt className="text-soft">Bake</dt>
      <dd>
        {until && previous ? (
          <StateBadge
            state="warning"
            word={`ends ${formatAgo(until, now)}, until then back to v${previous.version} by itself`}
            title={formatExact(until)}
          />
        ) : (
          <span className="text-soft">not running</span>
        )}
      </dd>
    </div>
  );
}
