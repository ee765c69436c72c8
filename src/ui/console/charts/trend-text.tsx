import { TrendingDown, TrendingUp } from "lucide-react";
import { formatQuantity } from "../parts/format";
import type { ChartSpec } from "./chart-spec";
import type { Trend } from "./points";

type TrendTextProps = { spec: ChartSpec; trend: Trend; value: number };

/** The direction of the value. A value that reads as before, or that has returned, is steady. */
export function TrendText({ spec, trend, value }: TrendTextProps) {
  const before = formatQuantity(trend.before, spec.unit);
  const description = "The last fifth of the window compared with the time before";
  const hasComeBack = trend.direction === "rising" ? value < trend.before : value > trend.before;
  if (trend.direction === "steady" || hasComeBack || before === formatQuantity(value, spec.unit)) {
    return (
      <span className="text-xs text-soft" title={description}>
        steady
      </span>
    );
  }
  const Icon = trend.direction === "rising" ? TrendingUp : TrendingDown;
  return (
    <span className="flex items-center gap-1 self-center text-xs text-soft" title={description}>
      <Icon size={13} aria-hidden="true" />
      {trend.direction} from {before}
    </span>
  );
}
