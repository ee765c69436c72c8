"use client";

import { useEffect, useRef } from "react";
import { Toaster as Sonner, toast as show } from "sonner";
import { takeToasts } from "./toast";

/** The only user of sonner. A popover, because an open dialog covers every other element. */
export default function Toaster({ count }: { count: number }) {
  const popover = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a higher count means that toasts are pending.
  useEffect(() => {
    // Shown again, to be above a dialog that has been opened since.
    popover.current?.hidePopover();
    popover.current?.showPopover();
    for (const { kind, text, detail } of takeToasts()) show[kind](text, { description: detail });
  }, [count]);

  return (
    <div ref={popover} popover="manual" className="toasts">
      <Sonner
        position="bottom-right"
        offset={{ bottom: "1rem" }}
        mobileOffset={{ bottom: "4.5rem" }}
        toastOptions={{
          style: {
            background: "var(--raised)",
            borderColor: "var(--line)",
            color: "var(--ink)",
            fontFamily: "inherit",
          },
        }}
      />
    </div>
  );
}
