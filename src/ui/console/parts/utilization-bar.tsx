import { formatQuantity } from "./format";

type UtilizationBarProps = {
  /** Of the limit; null while unknown. */
  utilization: number | null;
  /** A second value behind it, such as the load before. */
  before?: number | null;
};

/** A load against its limit. The limit line is at 80 % of the width, so that an overload is visible. */
export function UtilizationBar({ utilization, before }: UtilizationBarProps) {
  if (utilization === null)
    return <span className="utilization-bar utilization-unknown" aria-hidden="true" />;
  const tone = utilization > 1 ? "critical" : utilization > 0.7 ? "warning" : "ok";
  const width = (value: number) => `${Math.min(value, 1.25) * 80}%`;
  return (
    <span
      className="utilization-bar"
      data-tone={tone}
      aria-hidden="true"
      title={`Limit: ${formatQuantity(1, "ratio")}`}
    >
      {before != null && <span className="utilization-before" style={{ width: width(before) }} />}
      <span className="utilization-now" style={{ width: width(utilization) }} />
      <span className="utilization-limit" />
    </span>
  );
}
