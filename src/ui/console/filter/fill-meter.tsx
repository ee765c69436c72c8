import type { VersionStatus } from "../contract";
import { NoData } from "../parts/measured";
import { formatFill } from "./format-rate";

/** From this fill ratio on a rebuild is suggested. */
const HIGH = 0.8;

/** The fill ratio of the fullest shard, and when it will be full. */
export function FillMeter({ version: { forecast } }: { version: VersionStatus }) {
  if (!forecast) return <NoData />;
  const { fillRatio, fullestShard, fullInDays } = forecast;
  const isHigh = fillRatio >= HIGH;
  return (
    <span className="grid gap-1">
      <span className={isHigh ? "text-warning" : undefined}>
        shard {fullestShard} {formatFill(fillRatio)}
        <span className="text-soft">
          {fullInDays === null ? ", growth unknown" : `, full ${inDays(fullInDays)}`}
        </span>
      </span>
      <span className="meter" aria-hidden="true">
        <span style={{ width: `${Math.min(1, fillRatio) * 100}%` }} data-high={isHigh || undefined} />
        <i style={{ left: `${HIGH * 100}%` }} />
      </span>
    </span>
  );
}

function inDays(days: number): string {
  if (days < 1) return "within a day";
  if (days > 3_650) return "in more than 10 years";
  if (days > 730) return `in ${Math.floor(days / 365)} years`;
  const whole = Math.floor(days);
  return `in ${whole} ${whole === 1 ? "day" : "days"}`;
}
