import type { Explained } from "./explain-failure";
import { StateBadge } from "./state-badge";

/** What went wrong with what a form has sent, inside the form. The id finds the cause in the log. */
export function FailureNote({ failure }: { failure: Explained }) {
  return (
    <div role="alert" className="grid gap-1">
      <StateBadge state="critical" word={failure.title} />
      <p className="text-soft">{failure.text}</p>
      {failure.requestId && <p className="code text-soft">{failure.requestId}</p>}
    </div>
  );
}
