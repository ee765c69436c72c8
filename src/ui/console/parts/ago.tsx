import { formatAgo, formatExact } from "./format";
import { useNow } from "./use-now";

/** A relative time; the exact one on hover and for programs. */
export function Ago({ at }: { at: string | number }) {
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)}>
      {formatAgo(new Date(at).getTime(), now)}
    </time>
  );
}
