import { type ComponentProps, useId } from "react";
import type { Action } from "../contract";
import { useCan } from "../session/session";

type PermittedButtonProps = ComponentProps<"button"> & {
  action: Action;
  /** Any other reason why this can't be done now. */
  blocked?: string;
};

/**
 * A button that the permission table governs. Refused, it can still be reached by keyboard,
 * so that its reason can be read; pressing it does nothing.
 */
export function PermittedButton({ action, blocked, onClick, children, ...rest }: PermittedButtonProps) {
  const id = useId();
  const verdict = useCan(action);
  const reason = verdict.allowed ? blocked : verdict.reason;
  return (
    <>
      <button
        type="button"
        {...rest}
        title={reason ?? rest.title}
        aria-disabled={reason ? true : undefined}
        aria-describedby={reason ? id : undefined}
        onClick={event => (reason ? event.preventDefault() : onClick?.(event))}
      >
        {children}
      </button>
      {reason && (
        <span id={id} className="sr-only">
          {reason}
        </span>
      )}
    </>
  );
}
