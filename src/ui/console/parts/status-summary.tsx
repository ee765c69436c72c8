import type { ReactNode } from "react";
import { type State, StateBadge } from "./state-badge";

/** A figure behind the state. A part without a state is neither good nor bad. */
export type SummaryPart = { title: string; state?: State; text: string };

type StatusSummaryProps = {
  label?: string;
  state: State;
  word: string;
  parts?: readonly SummaryPart[];
  children?: ReactNode;
};

/** The first line of a page: its state, and the figures behind it. */
export function StatusSummary({
  label = "Status summary",
  state,
  word,
  parts,
  children,
}: StatusSummaryProps) {
  return (
    <section className="panel mb-3 flex flex-wrap items-center gap-x-8 gap-y-2 px-4 py-3" aria-label={label}>
      <SummaryWord state={state} word={word} />
      {parts && (
        <dl className="flex flex-wrap gap-x-7 gap-y-1">
          {parts.map(part => (
            <SummaryFigure key={part.title} {...part} />
          ))}
        </dl>
      )}
      {children}
    </section>
  );
}

export function SummaryWord({ state, word }: { state: State; word: string }) {
  return (
    <p className="text-[1.0625rem]" role="status">
      <StateBadge state={state} word={word} />
    </p>
  );
}

/** One entry of a `<dl>`. */
export function SummaryFigure({ title, state, text }: SummaryPart) {
  return (
    <div className="flex items-center gap-2">
      <dt className="text-soft">{title}</dt>
      <dd>{state ? <StateBadge state={state} word={text} /> : text}</dd>
    </div>
  );
}
