import type { ComponentProps } from "react";
import { PermittedButton } from "./permitted-button";

type Props = Pick<ComponentProps<typeof PermittedButton>, "action" | "blocked"> & {
  /** A verb with its object, such as "Create the token". */
  verb: string;
  isPending: boolean;
  onClose: () => void;
};

/** The end of a form in a dialog: away, or do it. */
export function SubmitFoot({ action, blocked, verb, isPending, onClose }: Props) {
  return (
    <div className="dialog-foot">
      <button type="button" className="btn btn-quiet" onClick={onClose}>
        Cancel
      </button>
      <PermittedButton
        type="submit"
        action={action}
        className="btn btn-primary"
        blocked={blocked}
        aria-busy={isPending}
      >
        {isPending ? "Working…" : verb}
      </PermittedButton>
    </div>
  );
}
