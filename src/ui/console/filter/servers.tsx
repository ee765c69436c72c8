import type { FilterStatus } from "../contract";
import { formatQuantity } from "../parts/format";

type ServersProps = Pick<FilterStatus, "readers" | "pointer">;

/** Further servers are only counted. */
const LISTED = 6;

/** The server processes and the version that each follows. Those that lag come first. */
export function Servers({ readers, pointer }: ServersProps) {
  const isBehind = (reader: FilterStatus["readers"][number]) => reader.revision !== pointer?.revision;
  const sorted = readers.toSorted((a, b) => Number(isBehind(b)) - Number(isBehind(a)));
  return (
    <div className="min-w-0">
      <p className="text-[0.8125rem] text-soft">
        Servers, the version that each follows, and the age of its report
      </p>
      <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-[0.8125rem]">
        {sorted.length === 0 && (
          <li>
            <span className="no-data">no reports</span>
          </li>
        )}
        {sorted.slice(0, LISTED).map(reader => (
          <li key={reader.instance} className={isBehind(reader) ? "text-warning" : undefined}>
            <span className="code">{reader.instance}</span>{" "}
            {reader.version === null ? "follows no version" : `v${reader.version}`}
            {isBehind(reader) && ", behind the pointer"}{" "}
            <span className="text-soft">{formatQuantity(Math.max(0, reader.ageMs) / 1_000, "seconds")}</span>
          </li>
        ))}
        {sorted.length > LISTED && <li className="text-soft">and {sorted.length - LISTED} more</li>}
      </ul>
    </div>
  );
}
