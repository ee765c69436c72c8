import type { ComponentProps } from "react";
import { PermittedButton } from "./permitted-button";

export type SubmitFootProps = Pick<ComponentProps<typeof PermittedButton>, "action" | "disabledReason"> & {
  /** A verb with its object, such as "Create the token". */
  verb: string;
  isDangerous?: boolean;
  isPending: boolean;
  onClose: () => void;
};

/** The buttons at the end of a form in a dialog. */
export function SubmitFoot({ verb, isDangerous, isPending, onClose, ...permission }: SubmitFootProps) {
  return (
    <div className="dialog-foot">
      <button type="button" className="btn btn-quiet" onClick={onClose}>
        Cancel
      </button>
      <PermittedButton
        {...permission}
        type="submit"
        className={`btn ${isDangerous ? "btn-danger" : "btn-primary"}`}
        aria-busy={isPending}
      >
        {isPending ? "Working…" : verb}
      </PermittedButton>
    </div>
  );
}
