import { Timer } from "lucide-react";
import type { VersionStatus } from "../contract";
import { formatAgo, formatExact } from "../parts/format";
import { useNow } from "../parts/use-now";

/** While a version bakes, a fault rolls it back automatically. */
export function Bake({ active, previous }: { active?: VersionStatus; previous?: VersionStatus }) {
  const now = useNow();
  if (!active) return null;
  const until = active.bakeUntil && Date.parse(active.bakeUntil);
  return (
    <div className="flex items-center gap-2">
      <dt className="text-soft">Bake</dt>
      <dd>
        {until && previous ? (
          <span className="badge" data-tone="working" title={formatExact(until)}>
            <Timer size={14} aria-hidden="true" className="flex-none" />
            {until > now ? `ends ${formatAgo(until, now)}` : "about to end"}; rolls back to v
            {previous.version} automatically on a fault
          </span>
        ) : (
          <span className="text-soft">not running</span>
        )}
      </dd>
    </div>
  );
}
