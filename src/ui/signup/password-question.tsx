import { type Ref, useState } from "react";
import { PASSWORD_LENGTH, passwordLength } from "../../domain/access/password";
import { StatusMessage } from "../status-message";
import { checkInput } from "./check-input";
import { Note } from "./note";
import { Question } from "./question";
import type { useSignup } from "./use-signup";

type Props = { signup: ReturnType<typeof useSignup>; inputRef: Ref<HTMLInputElement> };

export function PasswordQuestion({ signup, inputRef }: Props) {
  const [isShown, setIsShown] = useState(false);
  const { password } = signup.values;
  const error = signup.errors.password ?? signup.failure;
  const isUnknown = signup.isUnknown && !error;
  const length = passwordLength(password);
  const isFine = checkInput("password", password) === undefined;
  return (
    <Question
      field="password"
      isAsked={signup.field === "password"}
      title="Last one: a password"
      description="12 characters or more. A few unrelated words will do."
      isInvalid={Boolean(signup.errors.password)}
      input={{
        ref: inputRef,
        value: password,
        onValue: value => signup.setValue("password", value),
        type: isShown ? "text" : "password",
        autoComplete: "new-password",
      }}
      fieldEnd={
        <button
          type="button"
          className="icon-button"
          aria-label="Show password"
          aria-pressed={isShown}
          aria-controls="password"
          onClick={() => setIsShown(!isShown)}
        >
          <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
            <path d="M1.8 10C3.7 6.6 6.6 4.9 10 4.9s6.3 1.7 8.2 5.1c-1.9 3.4-4.8 5.1-8.2 5.1S3.7 13.4 1.8 10Z" />
            <circle cx="10" cy="10" r="2.4" />
            {!isShown && <path d="M3.5 16.5l13-13" />}
          </svg>
        </button>
      }
    >
      <p className="input-status" role="alert" hidden={!error}>
        {error && <StatusMessage tone="critical" word="Not yet." text={error} />}
      </p>
      {isUnknown && (
        <Note
          word="Not known yet."
          text="No answer came, so we don't know whether your account was created. We are finding out; it is never created twice."
        />
      )}
      {/* Changes with every keystroke, so it is not announced. */}
      <p className="input-status tabular-nums" hidden={Boolean(error) || isUnknown}>
        {isFine ? (
          <StatusMessage tone="ok" word="Long enough." text={`${length} characters`} />
        ) : (
          password && <StatusMessage tone="soft" text={`${length} of ${PASSWORD_LENGTH.min} characters`} />
        )}
      </p>
    </Question>
  );
}
