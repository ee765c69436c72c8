import type { ReactNode } from "react";
import type { Action } from "../contract";
import { useCan } from "../session/session";
import { StateBadge } from "./state-badge";

/** Renders the page only if the role may see it, so that no refused request is sent. */
export function RequirePermission({ action, children }: { action: Action; children: ReactNode }) {
  const verdict = useCan(action);
  if (verdict.allowed) return children;
  return (
    <div className="panel blank">
      <h1>
        <StateBadge state="warning" word="Access denied" />
      </h1>
      <p>{verdict.reason}</p>
    </div>
  );
}
