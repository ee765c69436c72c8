import type { ReactNode } from "react";

type ScrollAreaProps = { label: string; className: string; children: ReactNode };

/** An area that scrolls must be reachable by keyboard, so it needs a name. */
export function ScrollArea({ label, className, children }: ScrollAreaProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
    <section tabIndex={0} aria-label={label} className={className}>
      {children}
    </section>
  );
}
