import { X } from "lucide-react";
import { type ReactNode, useId, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { lastToast, watchToasts } from "../toast/toast";

type DialogProps = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** "drawer" is at the right edge, for the details of a row. */
  kind?: "dialog" | "drawer";
  children: ReactNode;
};

/**
 * The browser's own modal dialog: it keeps the focus inside, makes the page behind it inert,
 * and gives the focus back. On opening the focus goes to the element with `data-first`, else to the title.
 */
export function Dialog({ open, onClose, title, kind = "dialog", children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();

  // In the layout phase: a dialog that is closed after it has left the page does not give the focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!open || !dialog) return;
    dialog.showModal();
    (dialog.querySelector<HTMLElement>("[data-first]") ?? heading.current)?.focus();
    return () => dialog.close();
  }, [open]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same by keyboard.
    <dialog
      ref={ref}
      className={`dialog ${kind === "drawer" ? "drawer" : ""}`}
      aria-labelledby={id}
      onCancel={event => {
        if (event.target !== ref.current) return;
        event.preventDefault();
        onClose();
      }}
      onClick={event => event.target === ref.current && onClose()}
    >
      {open && (
        <>
          <div className="dialog-head">
            <h2 id={id} ref={heading} tabIndex={-1}>
              {title}
            </h2>
            <button
              type="button"
              className="btn btn-quiet btn-icon -mr-2"
              aria-label="Close"
              onClick={onClose}
            >
              <X size={16} aria-hidden="true" />
            </button>
          </div>
          <div className="dialog-body">{children}</div>
          <Announcement />
        </>
      )}
    </dialog>
  );
}

/** A screen reader reads only the open modal dialog, so toasts are announced inside of it. */
function Announcement() {
  const [earlier] = useState(lastToast);
  const latest = useSyncExternalStore(watchToasts, lastToast, () => "");
  return (
    <p role="status" className="sr-only">
      {latest === earlier ? "" : latest}
    </p>
  );
}
