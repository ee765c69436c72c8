import type { Outcome } from "../contract";
import { StateBadge } from "./state-badge";

const states = { ok: "ok", refused: "warning", failed: "critical" } as const;

export const OutcomeBadge = ({ outcome }: { outcome: Outcome }) => (
  <StateBadge state={states[outcome] ?? "unknown"} word={outcome === "ok" ? "done" : outcome} />
);
