import type { ReactNode, Ref } from "react";
import type { Field } from "./signup-state";

type QuestionProps = {
  field: Field;
  isAsked: boolean;
  title: string;
  description: string;
  isInvalid: boolean;
  input: {
    ref: Ref<HTMLInputElement>;
    value: string;
    onValue: (value: string) => void;
    type: "text" | "email" | "password";
    autoComplete: string;
  };
  /** A control at the right end of the field. */
  fieldEnd?: ReactNode;
  /** The status of the input, under the field. */
  children: ReactNode;
};

/** One question of the form. All three stay in it, so that a password manager sees name and password. */
export function Question({
  field,
  isAsked,
  title,
  description,
  isInvalid,
  input,
  fieldEnd,
  children,
}: QuestionProps) {
  return (
    <div className="question" hidden={!isAsked}>
      <h1 className="question-title">
        <label htmlFor={field}>{title}</label>
      </h1>
      <p className="question-description" id={`${field}-description`}>
        {description}
      </p>
      <div className="field">
        <input
          ref={input.ref}
          id={field}
          name={field}
          type={input.type}
          value={input.value}
          onChange={event => input.onValue(event.target.value)}
          autoComplete={input.autoComplete}
          inputMode={field === "email" ? "email" : undefined}
          // A name may be written from right to left.
          dir="auto"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          aria-invalid={isInvalid}
          aria-describedby={`progress ${field}-description ${field}-status`}
        />
        <span className="field-end">{fieldEnd}</span>
      </div>
      <div id={`${field}-status`}>{children}</div>
    </div>
  );
}
