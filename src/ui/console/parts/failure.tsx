import { explainFailure } from "./explain-failure";
import { StateBadge } from "./state-badge";

type FailureProps = { error: unknown; onRetry?: () => void };

/** Replaces data that could not be read: it is unknown, not empty. */
export function Failure({ error, onRetry }: FailureProps) {
  const { title, text, requestId, canRetry } = explainFailure(error);
  return (
    <div className="blank" role="alert">
      <StateBadge state={canRetry ? "unknown" : "warning"} word={title} />
      <p>{text}</p>
      {requestId && (
        <p className="text-xs">
          Reference <span className="code select-all">{requestId}</span>
        </p>
      )}
      {onRetry && canRetry && (
        <button type="button" className="btn btn-outline" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
