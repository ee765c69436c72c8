import type { ReactNode } from "react";

type NoticeProps = {
  /** A short state above the title. */
  state: string;
  title: string;
  text: string;
  /** An id for support, such as a request id. */
  reference?: string;
  children?: ReactNode;
};

/** The content of a card without a question: what happened and what to do. */
export function Notice({ state, title, text, reference, children }: NoticeProps) {
  return (
    <div className="notice flex grow flex-col">
      <p className="progress">{state}</p>
      <h1 className="question-title">{title}</h1>
      <p className="question-description">{text}</p>
      {reference && (
        <p className="mt-4 text-sm text-ink-soft">
          Reference <span className="font-medium text-ink select-all">{reference}</span>
        </p>
      )}
      <div className="mt-auto flex flex-wrap gap-3 pt-8">{children}</div>
    </div>
  );
}
