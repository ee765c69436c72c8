import type { ReactNode } from "react";
import { formatExact } from "../parts/format";
import { PageHead } from "../parts/page-head";
import { RangePicker } from "../parts/range-picker";
import type { useTimeWindow } from "../parts/use-time-window";

type DashboardHeadProps = {
  title: string;
  time: ReturnType<typeof useTimeWindow>;
  /** Buttons before the choice of the time window. */
  children?: ReactNode;
};

/** The title of a page of charts, with the choice of its time window. */
export function DashboardHead({ title, time, children }: DashboardHeadProps) {
  const { range, window, isLive, setState } = time;
  return (
    <PageHead title={title} description={isLive ? undefined : `Until ${formatExact(window.to)}`}>
      {children}
      {!isLive && (
        <button type="button" className="btn btn-outline" onClick={() => void setState({ to: null })}>
          Back to live
        </button>
      )}
      <RangePicker range={range} onRange={next => void setState({ range: next })} />
    </PageHead>
  );
}
