import { type ComponentProps, useId } from "react";
import type { Action } from "../contract";
import { useRefusal } from "../session/session";

type PermittedButtonProps = ComponentProps<"button"> & {
  /** The permission that the button needs, if it needs one. */
  action?: Action;
  /** Why the action is not possible now, for users who have the permission. */
  disabledReason?: string;
};

/**
 * A button that the permission table governs. A disabled one can still be reached by keyboard,
 * so that its reason can be read; pressing it does nothing.
 */
export function PermittedButton(props: PermittedButtonProps) {
  const { action, disabledReason, onClick, children, ...rest } = props;
  const id = useId();
  const refusal = useRefusal();
  const reason = (action && refusal(action)) ?? disabledReason;
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
