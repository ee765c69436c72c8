import type { Explained } from "./explain-failure";
import { StateBadge } from "./state-badge";

/** The failure of a form's request, inside the form. The request id finds the cause in the log. */
export function FailureNote({ failure }: { failure: Explained }) {
  return (
    <div role="alert" className="grid gap-1">
      <StateBadge state="critical" word={failure.title} />
      <p className="text-soft">{failure.text}</p>
      {failure.requestId && <p className="code text-soft">{failure.requestId}</p>}
    </div>
  );
}
