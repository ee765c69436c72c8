import type { ReactNode } from "react";

const marks = ["1", "2", "3"];

/**
 * The gate: a sight glass with a staff gauge, through which the page's water shows, and the panel beside it.
 * Content says how high the water stands with `data-level` ("dry", "1" to "3", "open"); gate.css does the rest.
 */
export function GateCard({ children }: { children: ReactNode }) {
  return (
    <div className="gate">
      <div className="gauge" aria-hidden="true">
        <div className="gauge-ticks" />
        {marks.map(mark => (
          <span key={mark} className="gauge-mark" data-mark={mark}>
            {mark}
          </span>
        ))}
        <span className="gauge-float" />
      </div>
      <div className="gate-panel">{children}</div>
    </div>
  );
}
