import type { ReactNode } from "react";
import { type State, StateBadge } from "./state-badge";

/** A figure behind the answer; without a state it is neither good nor bad. */
export type AnswerPart = { title: string; state?: State; text: string };

type AnswerProps = {
  label?: string;
  state: State;
  word: string;
  parts?: readonly AnswerPart[];
  children?: ReactNode;
};

/** What a page says first: is it all right? Then the figures behind it. */
export function Answer({ label = "Is it all right?", state, word, parts, children }: AnswerProps) {
  return (
    <section className="panel mb-3 flex flex-wrap items-center gap-x-8 gap-y-2 px-4 py-3" aria-label={label}>
      <p className="text-[1.0625rem]" role="status">
        <StateBadge state={state} word={word} />
      </p>
      {parts && (
        <dl className="flex flex-wrap gap-x-7 gap-y-1">
          {parts.map(part => (
            <div key={part.title} className="flex items-center gap-2">
              <dt className="text-soft">{part.title}</dt>
              <dd>{part.state ? <StateBadge state={part.state} word={part.text} /> : part.text}</dd>
            </div>
          ))}
        </dl>
      )}
      {children}
    </section>
  );
}
