import { ChevronLeft, ChevronRight } from "lucide-react";
import { formatCount } from "./format";
import { StateBadge } from "./state-badge";
import { COUNTED_ROWS, type TableState } from "./use-table-state";

type PagerProps = { total: number; isCut?: boolean; state: TableState; isStale: boolean };

export function Pager({
  total,
  state: { page, pageSize, setPage },
  isStale,
  isCut = total >= COUNTED_ROWS,
}: PagerProps) {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const first = Math.min(total, (page - 1) * pageSize + 1);
  const last = Math.min(total, page * pageSize);
  return (
    <div className="table-foot">
      <span>
        {total === 0
          ? "0 rows"
          : `${formatCount(first)} to ${formatCount(last)} of ${isCut ? "more than " : ""}${formatCount(total)}`}
      </span>
      {isStale && <StateBadge state="unknown" word="May be out of date: the last read failed" />}
      {(pages > 1 || page > 1) && (
        <span className="flex items-center gap-1">
          <button
            type="button"
            className="btn btn-quiet btn-icon"
            aria-label="Previous page"
            disabled={page <= 1}
            onClick={() => setPage(Math.min(pages, page - 1))}
          >
            <ChevronLeft size={16} aria-hidden="true" />
          </button>
          Page {formatCount(page)} of {formatCount(pages)}
          <button
            type="button"
            className="btn btn-quiet btn-icon"
            aria-label="Next page"
            disabled={page >= pages}
            onClick={() => setPage(page + 1)}
          >
            <ChevronRight size={16} aria-hidden="true" />
          </button>
        </span>
      )}
    </div>
  );
}
