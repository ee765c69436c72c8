import type { CSSProperties } from "react";
import type { FilterStatus } from "../contract";
import { slotsOf } from "./slots";

/** The percentage of reads that each version answers, as one bar. */
export function TrafficPanel({ status }: { status: FilterStatus }) {
  const { active, candidate } = slotsOf(status);
  const canary = candidate?.state === "ready" ? candidate.canaryPercent : 0;
  const shadow = candidate?.state === "ready" ? candidate.shadowPercent : 0;
  if (!active) {
    return (
      <div className="min-w-0">
        <p className="text-[0.8125rem] text-soft">The database answers all reads</p>
        <div className="read-bar no-data mt-1.5" />
      </div>
    );
  }
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap gap-x-4 text-[0.8125rem]">
        <span>
          <span className="swatch" style={colour(1)} />v{active.version} answers {100 - canary} % of the reads
        </span>
        {candidate && canary > 0 && (
          <span>
            <span className="swatch" style={colour(2)} />v{candidate.version} answers {canary} %
          </span>
        )}
        {candidate && shadow > 0 && (
          <span className="text-soft">{shadow} % of the reads are compared in both</span>
        )}
      </p>
      <div className="read-bar mt-1.5" aria-hidden="true">
        <span style={{ flexGrow: 100 - canary, background: "var(--series-1)" }} />
        {canary > 0 && <span style={{ flexGrow: canary, background: "var(--series-2)" }} />}
      </div>
    </div>
  );
}

const colour = (series: number) => ({ "--colour": `var(--series-${series})` }) as CSSProperties;
