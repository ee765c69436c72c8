import type { Ref } from "react";
import { StatusMessage } from "../status-message";
import { Question } from "./question";
import type { useSignup } from "./use-signup";
import { blocksSignup, statusText, type UsernameStatus } from "./username-status";

type Props = {
  signup: ReturnType<typeof useSignup>;
  inputRef: Ref<HTMLInputElement>;
  onSuggestion: (name: string) => void;
};

function toneOf({ kind }: UsernameStatus) {
  if (kind === "available") return "ok";
  if (kind === "unknown") return "unknown";
  return kind === "reserved" ? "warning" : "critical";
}

export function UsernameQuestion({ signup, inputRef, onSuggestion }: Props) {
  const { status, values, errors, suggestions } = signup;
  const [word, text] = statusText(status, values.username);
  return (
    <Question
      field="username"
      isAsked={signup.field === "username"}
      title="What should we call you?"
      description="Your username. We check that it is free as you type."
      isInvalid={Boolean(errors.username) || blocksSignup(status)}
      input={{
        ref: inputRef,
        value: values.username,
        onValue: value => signup.setValue("username", value),
        type: "text",
        autoComplete: "username",
      }}
      fieldEnd={
        status.kind === "checking" && (
          <svg className="icon checking text-accent" viewBox="0 0 20 20" role="img" aria-label="Checking">
            <path d="M2 10c2.7-3 5.3-3 8 0s5.3 3 8 0" />
          </svg>
        )
      }
    >
      {/* Empty during a check, so that a screen reader announces only its result. */}
      <p className={suggestions.length > 0 ? "input-status min-h-0!" : "input-status"} aria-live="polite">
        {errors.username ? (
          <StatusMessage tone="critical" word="Not yet." text={errors.username} />
        ) : (
          word && (
            <StatusMessage
              tone={toneOf(status)}
              word={word}
              text={suggestions.length > 0 ? "Another user was faster. These are free:" : text}
            />
          )
        )}
      </p>
      {suggestions.length > 0 && (
        <ul className="mt-3 flex flex-wrap gap-2" aria-label="Free names">
          {suggestions.map(name => (
            <li key={name} className="min-w-0">
              <button type="button" className="chip" onClick={() => onSuggestion(name)}>
                <bdi>{name}</bdi>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Question>
  );
}
