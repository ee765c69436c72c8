import { formatQuantity } from "./format";

type ShareBarProps = {
  /** Of the limit; null: not known. */
  share: number | null;
  /** A second value behind it, such as the load before. */
  before?: number | null;
};

/** A load against its limit, whose line stands at four fifths of the width: more than the limit shows. */
export function ShareBar({ share, before }: ShareBarProps) {
  if (share === null) return <span className="share-bar share-unknown" aria-hidden="true" />;
  const tone = share > 1 ? "critical" : share > 0.7 ? "warning" : "ok";
  const width = (value: number) => `${Math.min(value, 1.25) * 80}%`;
  return (
    <span
      className="share-bar"
      data-tone={tone}
      aria-hidden="true"
      title={`Limit: ${formatQuantity(1, "share")}`}
    >
      {before != null && <span className="share-before" style={{ width: width(before) }} />}
      <span className="share-now" style={{ width: width(share) }} />
      <span className="share-limit" />
    </span>
  );
}
