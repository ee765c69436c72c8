import type { FilterStatus } from "../contract";
import { formatQuantity } from "../parts/format";

type ServersProps = Pick<FilterStatus, "readers" | "pointer">;

/** More than these are counted, not listed. */
const LISTED = 6;

/** The server processes that said lately which version they follow; those that do not follow come first. */
export function Servers({ readers, pointer }: ServersProps) {
  const lags = (reader: FilterStatus["readers"][number]) => reader.revision !== pointer?.revision;
  const sorted = readers.toSorted((a, b) => Number(lags(b)) - Number(lags(a)));
  return (
    <div className="min-w-0">
      <p className="text-[0.8125rem] text-soft">
        Servers, the version each follows, and since when it said so
      </p>
      <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-[0.8125rem]">
        {sorted.length === 0 && (
          <li>
            <span className="no-data">no server has said anything lately</span>
          </li>
        )}
        {sorted.slice(0, LISTED).map(reader => (
          <li key={reader.instance} className={lags(reader) ? "text-warning" : undefined}>
            <span className="code">{reader.instance}</span>{" "}
            {reader.version === null ? "follows nothing" : `v${reader.version}`}
            {lags(reader) && ", not yet the newest"}{" "}
            <span className="text-soft">{formatQuantity(Math.max(0, reader.ageMs) / 1_000, "seconds")}</span>
          </li>
        ))}
        {sorted.length > LISTED && <li className="text-soft">and {sorted.length - LISTED} more</li>}
      </ul>
    </div>
  );
}
