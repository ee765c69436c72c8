import type { ReactNode } from "react";
import type { Action } from "../contract";
import { useCan } from "../session/session";
import { StateBadge } from "./state-badge";

/** Asks for nothing that would be refused: a page the role may not see says so at once. */
export function RequirePermission({ action, children }: { action: Action; children: ReactNode }) {
  const verdict = useCan(action);
  if (verdict.allowed) return children;
  return (
    <div className="panel blank">
      <h1>
        <StateBadge state="warning" word="Your role may not see this page" />
      </h1>
      <p>{verdict.reason}</p>
    </div>
  );
}
