import { formatExact, formatLeft } from "./format";
import { useNow } from "./use-now";

/** The remaining time, by the second; the exact time on hover and for programs. */
export function Countdown({ until }: { until: string }) {
  const now = useNow();
  const leftMs = new Date(until).getTime() - now;
  return (
    <time dateTime={until} title={`Until ${formatExact(until)}`}>
      {leftMs > 0 ? formatLeft(leftMs) : "over"}
    </time>
  );
}
