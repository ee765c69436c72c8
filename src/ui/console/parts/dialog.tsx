import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import { lastToast, watchToasts } from "../toast/toast";

type DialogProps = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** "drawer" stands at the right edge, for the details of a row. */
  kind?: "dialog" | "drawer";
  children: ReactNode;
};

/**
 * The browser's own modal dialog: it keeps the focus inside, makes the page behind it inert,
 * and gives the focus back. The element with `data-first`, else the title, gets the focus on opening.
 */
export function Dialog({ open, onClose, title, kind = "dialog", children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();

  useEffect(() => {
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

/** What is outside of a modal dialog is not read aloud: what a toast says meanwhile is said in here. */
function Announcement() {
  const [earlier] = useState(lastToast);
  const said = useSyncExternalStore(watchToasts, lastToast, () => "");
  return (
    <p role="status" className="sr-only">
      {said === earlier ? "" : said}
    </p>
  );
}
